// The form of an identity provider.
import {
  insertSignInProvider,
  listSignInProviders,
  type SignInProviderRow,
  updateSignInProvider,
} from '@voltkeep/contract/signIn'
import { Input } from 'antd'
import type { AnyEndpoint } from '../../../lib/wire/call.ts'
import { call } from '../../../lib/wire/call.ts'
import { FlagSwitch } from '../../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { providerTexts } from '../providers.texts.ts'
import { RulesInput } from './RulesInput.tsx'

const { fields, hints } = providerTexts
const width = 640

/** Adds a provider; or changes one, whose secret is not read back. */
export default function ProviderDialog({
  provider,
  stale,
  onClose,
}: {
  provider?: SignInProviderRow | undefined
  stale: readonly AnyEndpoint[]
  onClose: () => void
}) {
  if (provider)
    return (
      <FormDialog
        title={providerTexts.editTitle(provider.name)}
        endpoint={updateSignInProvider}
        stale={stale}
        width={width}
        initial={valuesOf(provider)}
        readPresent={async () => {
          const { rows } = await call(listSignInProviders, { pageSize: 500 })
          return valuesOf(rows.find(({ id }) => id === provider.id) ?? provider)
        }}
        intro={<p>{hints.returnAddress(provider.returnAddress)}</p>}
        onClose={onClose}
      >
        {(form) => <Fields form={form} isKept={provider.hasSecret} />}
      </FormDialog>
    )
  return (
    <FormDialog
      title={providerTexts.add}
      endpoint={insertSignInProvider}
      stale={stale}
      width={width}
      initial={{ isEnabled: 1, scopes: 'openid profile email' }}
      onClose={onClose}
    >
      {(form) => <Fields form={form} isKept={false} />}
    </FormDialog>
  )
}

const valuesOf = ({ id, version, name, issuer, clientId, scopes, rules, isEnabled }: SignInProviderRow) => ({
  ...{ id, version, name, issuer, clientId, scopes, isEnabled },
  rules,
})

function Fields({
  form,
  isKept,
}: {
  form: TypedForm<typeof insertSignInProvider.input> | TypedForm<typeof updateSignInProvider.input>
  isKept: boolean
}) {
  const { Field } = form as TypedForm<typeof insertSignInProvider.input>
  return (
    <>
      <Field name="name" label={fields.name} hint={hints.name}>
        <Input maxLength={30} autoComplete="off" />
      </Field>
      <Field name="issuer" label={fields.issuer} hint={hints.issuer}>
        <Input maxLength={500} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="clientId" label={fields.clientId}>
        <Input maxLength={200} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="clientSecret" label={fields.clientSecret} hint={isKept ? hints.secretKept : undefined}>
        <Input.Password maxLength={500} autoComplete="new-password" />
      </Field>
      <Field name="scopes" label={fields.scopes}>
        <Input maxLength={200} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="rules" label={fields.rules} hint={providerTexts.rules.hint}>
        <RulesInput />
      </Field>
      <Field name="isEnabled" label={fields.isEnabled}>
        <FlagSwitch />
      </Field>
    </>
  )
}
