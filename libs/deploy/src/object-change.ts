/** What becomes of one object of a cluster. */
export interface ObjectChange {
  kind: string
  name: string
  action: 'create' | 'change' | 'remove' | 'keep'
  /** Its YAML, as it is and as it is to be: each line after a space (in both), a minus (only now) or a plus (only then). */
  diff: string
  /** Size of what a Secret or ConfigMap holds. */
  bytes?: number
}
