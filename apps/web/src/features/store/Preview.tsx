import { api, storeObjectUrl } from '../../api/client.ts'
import type { StoreObject } from '../../api/types.ts'
import { useLoad } from '../../api/useLoad.ts'
import { ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { bytesOf } from '../reports/bytes.ts'
import { JsonView } from '../reports/JsonView.tsx'
import { textOf } from './objects.ts'

/** The value of one version of an object: an image, text, JSON or CBOR as a tree, else its size. */
export function Preview({ object }: { object: StoreObject }) {
  if (object.type.startsWith('image/'))
    return (
      <img
        key={object.version}
        src={storeObjectUrl(object.key, object.version)}
        alt={`Value of ${object.key}`}
        className="max-h-72 max-w-full self-start rounded border border-line"
      />
    )
  return <LoadedPreview object={object} />
}

function LoadedPreview({ object: { key, version, type } }: { object: StoreObject }) {
  const { data, loading, problem, reload } = useLoad(
    (signal) => api.previewStoreObject({ key, version }, signal),
    [key, version],
  )
  if (problem) return <ProblemNote problem={problem} retry={reload} />
  if (!data) return loading ? <Waiting what="Loading the value" /> : null
  if (data.preview === undefined)
    return <p className="text-sm text-muted">It is too large to be shown here; download it.</p>
  const bytes = bytesOf(data.preview)
  return (
    <Scroll
      label="Value"
      className="max-h-72 overflow-auto rounded-md border border-line p-2 font-mono text-xs"
    >
      {bytes && type.startsWith('text/') ? (
        <pre className="break-words whitespace-pre-wrap">
          {textOf(bytes.base64)}
          {bytes.truncated && '\n… only the first part is shown'}
        </pre>
      ) : (
        <JsonView value={data.preview} name={key} />
      )}
    </Scroll>
  )
}
