// The form by which a station stays with another platform.
import { readDevice } from '@voltkeep/contract/devices'
import {
  insertOcppRelay,
  type OcppRelay,
  readOcppRelay,
  updateOcppRelay,
} from '@voltkeep/contract/ocppRelays'
import { Input } from 'antd'
import { call } from '../../../lib/wire/call.ts'
import { FlagSwitch } from '../../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import { relayTexts } from './relay.texts.ts'

const { fields, ...words } = relayTexts
const stale = [readOcppRelay, readDevice]

const valuesOf = (id: string, { url, identity, isEnabled, version }: OcppRelay) => ({
  id,
  url,
  identity: identity ?? undefined,
  isEnabled,
  version,
})

export default function RelayDialog({
  device: { id, code },
  relay,
  onClose,
}: {
  device: { id: string; code: string }
  relay: OcppRelay | null
  onClose: () => void
}) {
  const readPresent = async (former: OcppRelay) => {
    const { relay: present } = await call(readOcppRelay, { id })
    return valuesOf(id, present ?? former)
  }
  const pem = <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} spellCheck={false} />
  return (
    <FormDialog
      title={words.dialogTitle(code)}
      intro={<p>{words.intro}</p>}
      endpoint={relay ? updateOcppRelay : insertOcppRelay}
      stale={stale}
      initial={relay ? valuesOf(id, relay) : { id, isEnabled: 1 }}
      {...(relay && { readPresent: () => readPresent(relay) })}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="url" label={fields.url} hint={words.urlHint}>
            <Input maxLength={500} autoComplete="off" spellCheck={false} />
          </Field>
          <Field name="identity" label={fields.identity} hint={words.identityHint}>
            <Input maxLength={64} autoComplete="off" spellCheck={false} />
          </Field>
          <Field
            name="password"
            label={fields.password}
            hint={relay?.hasPassword ? words.passwordKept : words.passwordHint}
          >
            <Input.Password maxLength={256} autoComplete="new-password" />
          </Field>
          <Field name="ca" label={fields.ca} hint={relay?.hasCa ? words.tlsKept : words.tlsHint}>
            {pem}
          </Field>
          <Field
            name="certificate"
            label={fields.certificate}
            hint={relay?.hasCertificate ? words.tlsKept : words.tlsHint}
          >
            {pem}
          </Field>
          <Field name="key" label={fields.key}>
            {pem}
          </Field>
          <Field name="isEnabled" label={fields.isEnabled}>
            <FlagSwitch />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
