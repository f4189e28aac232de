// Error codes that stations have sent and nobody has explained, above the table of those that are.
import { useQuery } from '@tanstack/react-query'
import { insertOcppCode, listUnknownOcppCodes } from '@voltkeep/contract/ocpp'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { reading } from '../../lib/wire/reading.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { codeOf, usePermission } from '../../ui/Permitted.tsx'
import { ocppCodeTexts } from './ocppCodes.texts.ts'

const OcppCodeDialog = lazyDialog(() => import('./OcppCodeDialog.tsx'))
const words = ocppCodeTexts.unknown
/** The newest; the others follow when these are explained. */
const shown = 5

export function Unexplained() {
  const { data } = useQuery(reading(listUnknownOcppCodes, { pageNum: 1, pageSize: shown }))
  const mayAdd = usePermission(codeOf(insertOcppCode.access))
  const [said, setSaid] = useState<{ vendor: string; code: string }>()
  if (!data || data.total === 0) return null
  return (
    <>
      <Alert
        type="warning"
        title={words.title(data.total)}
        description={
          <ul>
            {data.rows.map(({ vendor, code, info, count, lastTime }) => (
              <li key={`${vendor} ${code}`}>
                {words.told(code, vendor, info)}（{words.often(count, lastTime)}）
                {mayAdd && (
                  <Button type="link" size="small" onClick={() => setSaid({ vendor, code })}>
                    {words.explain}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        }
      />
      {said && <OcppCodeDialog said={said} onClose={() => setSaid(undefined)} />}
    </>
  )
}
