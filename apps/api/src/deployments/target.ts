/** Where plans are deployed: the local target, unless the service is started with another. */
export const TARGET = Symbol('target')
