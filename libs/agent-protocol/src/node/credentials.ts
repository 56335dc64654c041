/** Passwords of devices, and what each user of a broker may do. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { DEVICE_CHANNELS, OWN_CHANNELS, SERVICE_CHANNELS, topicOf } from '../topics.ts'

/** A new secret for a fleet: 32 random bytes, hexadecimal. */
export const newFleetSecret = (): string => randomBytes(32).toString('hex')

/** Password of a device: HMAC-SHA256 of its id under the secret of its fleet, hexadecimal. Its user name is its id. */
export function devicePassword(fleetSecret: string, device: string): string {
  return createHmac('sha256', fleetSecret).update(device).digest('hex')
}

/** Compares two secrets in constant time. */
export function sameSecret(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** Who is connected to a broker. */
export type Principal = { role: 'device'; fleet: string; device: string } | { role: 'service'; fleet: string }

/** Checks the password of a device. `isEnrolled` says which devices belong to the fleet; all when absent. */
export function deviceAuthenticator(options: {
  fleet: string
  secret: string
  isEnrolled?: (device: string) => boolean
}): (username: string, password: string) => Principal | null {
  const { fleet, secret, isEnrolled = () => true } = options
  return (device, password) =>
    isEnrolled(device) && sameSecret(password, devicePassword(secret, device))
      ? { role: 'device', fleet, device }
      : null
}

/**
 * The topic rights of a fleet as an ACL file of Mosquitto: a device may use its own topics, its user name being its id;
 * `serviceUser` may use all topics of the fleet.
 */
export function mosquittoAcl(fleet: string, serviceUser: string): string {
  const pattern = (access: string, channel: Parameters<typeof topicOf>[2]): string =>
    `pattern ${access} ${topicOf(fleet, '%u', channel)}`
  const owned = new Set<string>(OWN_CHANNELS)
  return `${[
    ...DEVICE_CHANNELS.map((channel) => pattern(owned.has(channel) ? 'readwrite' : 'write', channel)),
    ...SERVICE_CHANNELS.map((channel) => pattern('read', channel)),
    `user ${serviceUser}`,
    `topic readwrite hive/1/${fleet}/#`,
  ].join('\n')}\n`
}
