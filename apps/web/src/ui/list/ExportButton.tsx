import { DownloadOutlined } from '@ant-design/icons'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { Button } from 'antd'
import { formatBytes } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { useLongDownload } from '../../lib/wire/download.ts'
import { Permitted } from '../Permitted.tsx'

/**
 * Downloads the rows of the list, all pages of it. A user without the permission sees no button. `isQuiet`: a refusal
 * is shown on the button and announced nowhere.
 */
export function ExportButton<E extends AnyEndpoint>({
  endpoint,
  filters,
  isDisabled = false,
  label = texts.list.export,
  isQuiet = false,
}: {
  endpoint: E
  /** The list's filters as applied; the page is not one of them. */
  filters: Record<string, unknown>
  isDisabled?: boolean
  label?: string
  isQuiet?: boolean
}) {
  const { begin, current, isFailed } = useLongDownload(endpoint, { isQuiet })
  const { pageNum: _page, pageSize: _size, ...narrowing } = filters
  return (
    <Permitted code={endpoint.access}>
      <Button
        icon={<DownloadOutlined />}
        loading={current !== undefined}
        disabled={isDisabled}
        onClick={() => begin(narrowing as InputFor<E>)}
      >
        {current
          ? texts.list.exporting(current.bytes > 0 ? formatBytes(current.bytes) : undefined)
          : isQuiet && isFailed
            ? texts.list.exportFailed
            : label}
      </Button>
      {current && <Button onClick={current.cancel}>{texts.list.exportCancel}</Button>}
    </Permitted>
  )
}
