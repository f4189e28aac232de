import { type HandoverDetail, listHandovers, readHandover, signHandover } from '@voltkeep/contract/handover'
import { Input } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { handoverTexts } from './handover.texts.ts'

/** Takes the shift over. */
export default function SignDialog({ page, onClose }: { page: HandoverDetail; onClose: () => void }) {
  return (
    <FormDialog
      title={handoverTexts.signTitle}
      endpoint={signHandover}
      stale={[listHandovers, readHandover]}
      initial={{ id: page.id, version: page.version }}
      submitLabel={handoverTexts.sign}
      intro={<p>{handoverTexts.signBody(page.draftUserName, formatCount(page.openCount))}</p>}
      onClose={onClose}
    >
      {({ Field }) => (
        <Field name="note" label={handoverTexts.fields.signNote}>
          <Input.TextArea maxLength={500} autoSize={{ minRows: 2, maxRows: 6 }} />
        </Field>
      )}
    </FormDialog>
  )
}
