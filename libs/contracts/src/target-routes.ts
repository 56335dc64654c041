/** The routes of targets that have a name. */
import { z } from 'zod'
import { route } from './route.ts'
import * as t from './targets.ts'

/** Routes below `/targets`, by the names of their operations. */
export const targetRoutes = {
  listTargets: route({
    method: 'get',
    path: '/targets',
    summary: 'Clusters that functions can be deployed to by name, beside the usual target of the service',
    answer: z.array(t.TargetRecord),
    status: 200,
  }),
  createTarget: route({
    method: 'post',
    path: '/targets',
    summary: 'Keep a cluster under a name; 422 with what is missing when nothing can be deployed there',
    body: t.NewTarget,
    answer: t.TargetRecord,
    status: 201,
  }),
  replaceTarget: route({
    method: 'put',
    path: '/targets/{target}',
    summary: 'Change it; 409 while something is deployed there, 422 as when it is made',
    body: t.ChangedTarget,
    answer: t.TargetRecord,
    status: 200,
  }),
  removeTarget: route({
    method: 'delete',
    path: '/targets/{target}',
    summary: 'Forget it and its kubeconfig; 409 while something is deployed there',
    answer: null,
    status: 204,
  }),
  checkTarget: route({
    method: 'post',
    path: '/targets/{target}/check',
    summary: 'Ask the cluster whether something can be deployed there now',
    answer: t.TargetCheck,
    status: 200,
  }),
  tryTarget: route({
    method: 'post',
    path: '/target-checks',
    summary: 'Ask a cluster whether something can be deployed there, without keeping anything',
    body: t.TargetAccess,
    answer: t.TargetCheck,
    status: 200,
  }),
}
