/** The routes of bitstreams. */
import { z } from 'zod'
import * as f from './fabric.ts'
import { JobRecord } from './resources.ts'
import { route } from './route.ts'

/** Routes below `/fabric`, by the names of their operations. */
export const fabricRoutes = {
  listFabricParameters: route({
    method: 'get',
    path: '/fabric/parameters',
    summary: 'Hard parameters of a build, with their limits; 422 without the tools of the fabric',
    answer: z.array(f.FabricParameter),
    status: 200,
  }),
  listFabricBuilds: route({
    method: 'get',
    path: '/fabric/builds',
    summary: 'Bitstreams that are kept',
    answer: z.array(f.FabricBuild),
    status: 200,
  }),
  startFabricBuild: route({
    method: 'post',
    path: '/fabric/builds',
    summary: 'Build a bitstream; its job has stages, log, .bit and .svf, and can be cancelled',
    body: f.NewFabricBuild,
    answer: JobRecord,
    status: 202,
  }),
  getFabricBuild: route({
    method: 'get',
    path: '/fabric/builds/{build}',
    summary: 'One bitstream: its timing, slowest paths, use of the device and files',
    answer: f.FabricBuild,
    status: 200,
  }),
  getFabricFile: route({
    method: 'get',
    path: '/fabric/builds/{build}/file',
    summary: 'A file of it, such as fabric.bit or fabric.svf',
    query: z.strictObject({ name: z.string().max(200) }),
    answer: 'application/octet-stream',
    status: 200,
  }),
}
