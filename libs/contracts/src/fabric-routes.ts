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
  getFabricFloorplan: route({
    method: 'get',
    path: '/fabric/builds/{build}/floorplan',
    summary:
      'Where its parts lie on the device, and how close the ends of its paths come to the clock; 404 for a build of before',
    answer: f.FabricFloorplan,
    status: 200,
  }),
  listFabricBoards: route({
    method: 'get',
    path: '/fabric/boards',
    summary: 'Simulated boards that the service runs',
    answer: z.array(f.FabricBoard),
    status: 200,
  }),
  startFabricBoard: route({
    method: 'post',
    path: '/fabric/boards',
    summary: 'Start a simulated board; its job compiles the model of the build, loads it and tests it',
    body: f.NewFabricBoard,
    answer: JobRecord,
    status: 202,
  }),
  stopFabricBoard: route({
    method: 'delete',
    path: '/fabric/boards/{board}',
    summary: 'Stop a simulated board',
    answer: null,
    status: 204,
  }),
  loadFabricBoard: route({
    method: 'post',
    path: '/fabric/boards/{board}/loads',
    summary: 'Load a build; its job fails with the reason when the build is refused or rolled back',
    body: f.NewFabricLoad,
    answer: JobRecord,
    status: 202,
  }),
  getFabricRegisters: route({
    method: 'get',
    path: '/fabric/boards/{board}/registers',
    summary: 'Every register as it reads now',
    answer: f.FabricRegisters,
    status: 200,
  }),
  setFabricRegisters: route({
    method: 'patch',
    path: '/fabric/boards/{board}/registers',
    summary: 'Write soft registers, which take effect together, under traffic too; answers what is read back',
    body: f.FabricSettings,
    answer: f.FabricRegisters,
    status: 200,
  }),
  startFabricTraffic: route({
    method: 'put',
    path: '/fabric/boards/{board}/traffic',
    summary: 'Send readings of simulated sensors through the board, instead of those before',
    body: f.FabricTraffic,
    answer: f.FabricBoard,
    status: 200,
  }),
  getFabricTraffic: route({
    method: 'get',
    path: '/fabric/boards/{board}/traffic',
    summary: 'The latest values that came out of the board',
    answer: f.FabricValues,
    status: 200,
  }),
  stopFabricTraffic: route({
    method: 'delete',
    path: '/fabric/boards/{board}/traffic',
    summary: 'Send nothing more',
    answer: f.FabricBoard,
    status: 200,
  }),
}
