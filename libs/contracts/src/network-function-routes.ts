/** The routes of servers of network functions. */
import { z } from 'zod'
import * as n from './network-functions.ts'
import { route } from './route.ts'

/** Routes below `/network-functions`, by the names of their operations. */
export const networkFunctionRoutes = {
  listNetworkFunctions: route({
    method: 'get',
    path: '/network-functions',
    summary: 'Servers of network functions that have registered and said something lately, by name',
    answer: z.array(n.NetworkFunction),
    status: 200,
  }),
  registerNetworkFunction: route({
    method: 'put',
    path: '/network-functions/{name}',
    summary: 'A server says what it is; it is forgotten when it does not say so again in time',
    body: n.NetworkFunctionReport,
    answer: n.NetworkFunctionOrder,
    status: 200,
  }),
  changeNetworkFunction: route({
    method: 'patch',
    path: '/network-functions/{name}',
    summary:
      'Give a server another function, which it takes when it next says something; its windows start anew',
    body: n.NetworkFunctionChange,
    answer: n.NetworkFunction,
    status: 200,
  }),
  removeNetworkFunction: route({
    method: 'delete',
    path: '/network-functions/{name}',
    summary: 'A server that ends takes its leave',
    answer: null,
    status: 204,
  }),
}
