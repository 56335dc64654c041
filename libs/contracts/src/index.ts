export * as domain from './domain.ts'
export { ServerEvent } from './events.ts'
export * as resources from './resources.ts'
export { type Route, routes } from './routes.ts'
