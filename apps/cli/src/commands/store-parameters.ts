/** What the commands about the store have in common. */
import { ServiceClient } from '../service.ts'

/** Help of the option `--service` where an access key will do. */
export const storeServiceHelp =
  'URL of the service; an access key is read from HIVEMIND_STORE_KEY, else its password from HIVEMIND_PASSWORD'

/** Calls the store of a service, with the access key in HIVEMIND_STORE_KEY when there is one. */
export const storeClient = (service: string): ServiceClient =>
  new ServiceClient(service, process.env.HIVEMIND_STORE_KEY || undefined)

/** Media types by the end of a file's name. */
const TYPES: Record<string, string> = {
  json: 'application/json',
  cbor: 'application/cbor',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  csv: 'text/csv',
  txt: 'text/plain',
}

/** Media type of a file by its name. */
export const typeOf = (file: string): string =>
  TYPES[file.slice(file.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'

/** The parameters that are given. */
export const given = (parameters: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
