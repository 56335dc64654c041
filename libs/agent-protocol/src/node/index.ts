export { type Broker, type BrokerOptions, startBroker } from './broker.ts'
export {
  deviceAuthenticator,
  devicePassword,
  mosquittoAcl,
  newFleetSecret,
  type Principal,
  sameSecret,
} from './credentials.ts'
export { DeviceChannel, type DeviceChannelOptions } from './device-channel.ts'
export {
  type BrokerAddress,
  type Link,
  type LinkHandler,
  type Log,
  linkByUrl,
  type OpenLink,
} from './link.ts'
export { ServiceChannel, type ServiceChannelOptions, type ServiceEvents } from './service-channel.ts'
