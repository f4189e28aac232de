import type { InputFor } from '@voltkeep/contract/endpoint'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { useDownload } from '../../lib/wire/download.ts'
import { Permitted } from '../Permitted.tsx'
import { workTexts } from './work.texts.ts'

/** The file of the devices that a work leaves out, beside the line that counts them. */
export function LeftOutFile<E extends AnyEndpoint & { access: string }>({
  endpoint,
  asked,
}: {
  endpoint: E
  asked: InputFor<E>
}) {
  const exporting = useDownload(endpoint)
  return (
    <Permitted code={endpoint.access}>
      <button
        type="button"
        className="link-button"
        disabled={exporting.isPending}
        onClick={() => exporting.mutate(asked)}
      >
        {workTexts.leftOutFile}
      </button>
    </Permitted>
  )
}
