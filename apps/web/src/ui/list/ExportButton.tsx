import { DownloadOutlined } from '@ant-design/icons'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { Button } from 'antd'
import { formatBytes } from '../../lib/format.ts'
import { notify } from '../../lib/notices.ts'
import { texts } from '../../lib/texts/index.ts'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { useLongDownload } from '../../lib/wire/download.ts'
import { Permitted } from '../Permitted.tsx'

/** Downloads what the list shows, all pages of it. A user without the permission sees no button. */
export function ExportButton<E extends AnyEndpoint>({
  endpoint,
  filters,
  isDisabled = false,
  label = texts.list.export,
}: {
  endpoint: E
  /** The list's filters as applied; the page is not one of them. */
  filters: Record<string, unknown>
  isDisabled?: boolean
  label?: string
}) {
  const { downloading: exporting, bytes, cancel } = useLongDownload(endpoint)
  const { pageNum: _page, pageSize: _size, ...narrowing } = filters
  return (
    <Permitted code={endpoint.access}>
      <Button
        icon={<DownloadOutlined />}
        loading={exporting.isPending}
        disabled={isDisabled}
        onClick={() =>
          exporting.mutate(narrowing as InputFor<E>, {
            onSuccess: (isDone) =>
              isDone ? notify.success(texts.list.exported) : notify.info(texts.list.exportCancelled),
          })
        }
      >
        {exporting.isPending ? texts.list.exporting(bytes > 0 ? formatBytes(bytes) : undefined) : label}
      </Button>
      {exporting.isPending && <Button onClick={cancel}>{texts.list.exportCancel}</Button>}
    </Permitted>
  )
}
