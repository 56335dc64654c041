/** Topic filters of MQTT: `+` stands for one level, `#` at the end for all that follow (MQTT 3.1.1, section 4.7). */

/** Whether a filter names more than one topic. */
export const isPattern = (filter: string): boolean => filter.includes('+') || filter.endsWith('#')

/** The topics that a filter names. As in MQTT, a filter that begins with a wildcard names none that begins with `$`. */
export function patternOf(filter: string): RegExp {
  const levels = filter
    .split('/')
    .map((level) =>
      level === '+' ? '[^/]*' : level === '#' ? '.*' : level.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
    )
  const source = levels.join('/').replace(/\/\.\*$/, '(?:/.*)?')
  return new RegExp(`^${/^[+#]/.test(filter) ? '(?!\\$)' : ''}${source}$`, 's')
}
