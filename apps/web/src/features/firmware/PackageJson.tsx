import { useQuery } from '@tanstack/react-query'
import type { PackageRow } from '@voltkeep/contract/firmware'
import { Button, Modal } from 'antd'
import { useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { copyText } from '../../ui/CopyText.tsx'
import { sizes } from '../../ui/theme/tokens.ts'
import styles from './firmware.module.css'
import { firmwareTexts } from './firmware.texts.ts'
import { nameOf } from './PackageActions.tsx'
import type { PackageView } from './packageViews.ts'

/** The JSON that a device receives for the package, to be copied. */
export default function PackageJson({
  view,
  row,
  onClose,
}: {
  view: PackageView
  row: PackageRow
  onClose: () => void
}) {
  const [isOpen, setOpen] = useState(true)
  // Read each time: the address in it expires.
  const query = useQuery({
    ...reading(view.json, { versionId: row.id }),
    retry: false,
    gcTime: 0,
    // The error is shown in place of the JSON.
    meta: { isQuiet: true },
  })
  const json = query.data && JSON.stringify(query.data, null, 2)
  return (
    <Modal
      open={isOpen}
      title={firmwareTexts.jsonTitle(nameOf(row).trim())}
      width={sizes.dialog}
      centered
      onCancel={() => setOpen(false)}
      afterClose={onClose}
      footer={
        <>
          <Button onClick={() => setOpen(false)}>{texts.close}</Button>
          <Button type="primary" disabled={!json} onClick={() => json && void copyText(json)}>
            {firmwareTexts.copy}
          </Button>
        </>
      }
    >
      {query.error ? (
        <p role="alert">
          {firmwareTexts.jsonFailed}：{query.error.message}{' '}
          <button type="button" className="link-button" onClick={() => void query.refetch()}>
            {texts.list.retry}
          </button>
        </p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
          <pre className={`mono ${styles.json}`} tabIndex={0}>
            {json ?? texts.list.loading}
          </pre>
          <p className={styles.hint}>{firmwareTexts.jsonHint}</p>
        </>
      )}
    </Modal>
  )
}
