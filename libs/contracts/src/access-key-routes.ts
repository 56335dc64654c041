/** The routes by which people make and remove access keys. They are closed to access keys themselves. */
import { z } from 'zod'
import * as a from './access-keys.ts'
import { route } from './route.ts'

/** Routes below `/store/access-keys`, by the names of their operations. */
export const accessKeyRoutes = {
  listAccessKeys: route({
    method: 'get',
    path: '/store/access-keys',
    summary: 'Access keys of the store, without their secrets',
    answer: z.array(a.AccessKey),
    status: 200,
  }),
  createAccessKey: route({
    method: 'post',
    path: '/store/access-keys',
    summary:
      'Make an access key; the answer has its secret, which is told this once. 409 when the name is taken',
    body: a.NewAccessKey,
    answer: a.AccessKeyWithSecret,
    status: 201,
  }),
  removeAccessKey: route({
    method: 'delete',
    path: '/store/access-keys/{key}',
    summary: 'Remove an access key: it is refused from now on, and its open streams of events end',
    answer: null,
    status: 204,
  }),
}
