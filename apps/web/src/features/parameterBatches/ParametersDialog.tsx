import type { ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { Button, Modal } from 'antd'
import { useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { ParameterList } from './ParameterList.tsx'
import { batchTexts } from './parameterBatches.texts.ts'

/** Shows what a batch sets, in words and lamps. */
export function ParametersDialog({ batch, onClose }: { batch: ParameterBatchRow; onClose: () => void }) {
  const [isOpen, setOpen] = useState(true)
  return (
    <Modal
      open={isOpen}
      title={batchTexts.parametersTitle(batch.code)}
      centered
      onCancel={() => setOpen(false)}
      afterClose={onClose}
      footer={<Button onClick={() => setOpen(false)}>{texts.close}</Button>}
    >
      <ParameterList batch={batch} />
    </Modal>
  )
}
