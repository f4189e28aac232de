import { type ApprovalRow, refuseApproval } from '@voltkeep/contract/approvals'
import { Input } from 'antd'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { stale } from './approvals.api.ts'
import { approvalTexts } from './approvals.texts.ts'

const { ask } = approvalTexts

/** Refuses what somebody asked for, with a reason that who asked will read. */
export default function RefuseDialog({ approval, onClose }: { approval: ApprovalRow; onClose: () => void }) {
  return (
    <FormDialog
      title={ask.refuseTitle}
      endpoint={refuseApproval}
      stale={stale}
      initial={{ id: approval.id }}
      submitLabel={approvalTexts.refuse}
      onClose={onClose}
      intro={<p>{approval.subject}</p>}
    >
      {({ Field }) => (
        <Field name="note" label={ask.note}>
          <Input.TextArea maxLength={200} autoSize={{ minRows: 2, maxRows: 4 }} />
        </Field>
      )}
    </FormDialog>
  )
}
