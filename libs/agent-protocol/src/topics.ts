/** Topics: `hive/1/<fleet>/<device>/<channel>`. */
import { PROTOCOL_VERSION } from './messages.ts'

/** Written by the device. Retained: hello, state, applied, telemetry. */
export const DEVICE_CHANNELS = ['up', 'hello', 'state', 'applied', 'telemetry', 'beat'] as const
/** Written by the service. Retained: desired. */
export const SERVICE_CHANNELS = ['down', 'desired', 'echo'] as const
/** Written by the device and read by it again, to notice another agent that uses its id. */
export const OWN_CHANNELS = ['hello', 'state'] as const

/** A channel that the device writes. */
export type DeviceChannelName = (typeof DEVICE_CHANNELS)[number]
/** A channel that the service writes. */
export type ServiceChannelName = (typeof SERVICE_CHANNELS)[number]
/** Last level of a topic. */
export type ChannelName = DeviceChannelName | ServiceChannelName

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Whether a text can be the name of a fleet or the id of a device: letters, digits, `.`, `_` and `-`, at most 64. */
export const isName = (text: string): boolean => NAME.test(text)

/** The topic of a channel of a device. */
export function topicOf(fleet: string, device: string, channel: ChannelName): string {
  return `hive/${PROTOCOL_VERSION}/${fleet}/${device}/${channel}`
}

/** The filter for a channel of all devices of a fleet. */
export function topicOfAll(fleet: string, channel: ChannelName): string {
  return `hive/${PROTOCOL_VERSION}/${fleet}/+/${channel}`
}

/** What a topic belongs to; `null` when it is none of this protocol. */
export function parseTopic(topic: string): { fleet: string; device: string; channel: ChannelName } | null {
  const [root, version, fleet, device, channel, ...rest] = topic.split('/')
  if (root !== 'hive' || version !== String(PROTOCOL_VERSION) || rest.length > 0) return null
  if (!fleet || !device || !channel || !isName(fleet) || !isName(device)) return null
  const known: readonly string[] = [...DEVICE_CHANNELS, ...SERVICE_CHANNELS]
  return known.includes(channel) ? { fleet, device, channel: channel as ChannelName } : null
}

/** Whether a device may write to a topic. */
export function mayPublish(fleet: string, device: string, topic: string): boolean {
  return DEVICE_CHANNELS.some((channel) => topic === topicOf(fleet, device, channel))
}

/** Whether a device may subscribe to a filter: its own topics, each by its full name. */
export function maySubscribe(fleet: string, device: string, filter: string): boolean {
  return [...SERVICE_CHANNELS, ...OWN_CHANNELS].some((channel) => filter === topicOf(fleet, device, channel))
}
