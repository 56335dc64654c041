/** The licences of the packages in a lock file, judged without the network. */

/** Licences under which HiveMind (Apache-2.0) may use a package, by their SPDX names. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'Artistic-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-3.0',
  'CC0-1.0',
  'EPL-2.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
])

/** Packages whose `package.json` names no licence in the form of today, with that of their LICENSE file. */
const READ = new Map([['qrcode-terminal', 'Apache-2.0']])

/** Whether an SPDX expression of names, AND, OR and brackets is met by what is allowed. */
export function isAllowed(expression) {
  const inner = expression.replace(/^\((.*)\)$/, '$1')
  if (/ OR /.test(inner)) return inner.split(' OR ').some(isAllowed)
  if (/ AND /.test(inner)) return inner.split(' AND ').every(isAllowed)
  return ALLOWED.has(inner)
}

/** The packages of a lock file that are not allowed, as `name@version: licence`, and how many there are in all. */
export function auditLicences(lock) {
  const packages = Object.entries(lock.packages).filter(
    ([folder, { link }]) => !link && folder.includes('node_modules/'),
  )
  const refused = packages.flatMap(([folder, { version, license }]) => {
    const name = folder.split('node_modules/').at(-1)
    const licence = license ?? READ.get(name)
    if (licence !== undefined && isAllowed(licence)) return []
    return [`${name}@${version}: ${licence ?? 'names no licence'}`]
  })
  return { count: packages.length, refused }
}
