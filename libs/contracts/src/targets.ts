/** Clusters that have a name: where else than on the usual target functions can run. */
import { z } from 'zod'

/** Name of a target: 1 to 40 small letters, digits and hyphens. */
export const TargetName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "use small letters, digits and '-', at most 40, as in 'staging'")

const Image = z.string().trim().min(1).max(300)
const settings = {
  /** A namespace; that of the kubeconfig's context when absent. */
  namespace: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'is no name of a namespace')
    .optional(),
  /** URL of Knative's ingress, where the names of its services do not lead to it. */
  ingress: z
    .url({ protocol: /^https?$/, error: "is no URL such as 'http://10.0.0.7:31080'" })
    .max(300)
    .optional(),
  /** The images that run functions; those of the service's own settings when absent. */
  images: z.strictObject({ node: Image, python: Image }).optional(),
}
const access = {
  /** Text of a kubeconfig. It is sealed, and never answered. */
  kubeconfig: z.string().min(1).max(256_000),
  /** A context of it; its current one when absent. */
  context: z.string().max(253).optional(),
}

/** A cluster to try or to keep. */
export const TargetAccess = z.strictObject({ ...access, ...settings })
/** A cluster to keep under a name. */
export const NewTarget = z.strictObject({ name: TargetName, ...access, ...settings })
/** What a target is to be from now on. Without a kubeconfig it keeps the one it has. */
export const ChangedTarget = z.strictObject({
  kubeconfig: access.kubeconfig.optional(),
  context: access.context,
  ...settings,
})
/** A target, without its secrets. */
export const TargetRecord = z.strictObject({
  name: TargetName,
  /** Address of the cluster's API. */
  server: z.string(),
  context: z.string(),
  ...settings,
  /** Where it deploys to: as set, or as the kubeconfig's context says. */
  namespace: z.string(),
  /** Deployments that are starting or ready there. */
  live: z.number().int().min(0),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
/** What a check of a cluster found. Nothing can be deployed there while one of the findings is an error. */
export const TargetCheck = z.strictObject({
  server: z.string(),
  context: z.string(),
  /** All contexts of the kubeconfig. */
  contexts: z.array(z.string()),
  namespace: z.string(),
  findings: z.array(z.strictObject({ level: z.enum(['ok', 'warning', 'error']), message: z.string() })),
})
