// The form of an identity provider.
import {
  insertSignInProvider,
  listSignInProviders,
  type SignInProviderKind,
  type SignInProviderRow,
  signInProviderKinds,
  updateSignInProvider,
} from '@voltkeep/contract/signIn'
import { Input, Select } from 'antd'
import type { AnyEndpoint } from '../../../lib/wire/call.ts'
import { call } from '../../../lib/wire/call.ts'
import { choicesOf } from '../../../ui/choices/choicesOf.ts'
import { FlagSwitch } from '../../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { useFieldValue } from '../../../ui/form/useFieldValue.ts'
import { providerTexts } from '../providers.texts.ts'
import styles from './RulesInput.module.css'
import { RulesInput } from './RulesInput.tsx'

const { fields, hints, kinds, clientIds, secrets, corpIds } = providerTexts
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
        intro={<p className={styles.intro}>{hints.returnAddress(provider.returnAddress)}</p>}
        onClose={onClose}
      >
        {(form) => <Fields form={form} kind={provider.kind} isKept={provider.hasSecret} />}
      </FormDialog>
    )
  return (
    <FormDialog
      title={providerTexts.add}
      endpoint={insertSignInProvider}
      stale={stale}
      width={width}
      initial={{ kind: 'oidc', isEnabled: 1, scopes: 'openid profile email' }}
      onClose={onClose}
    >
      {(form) => <NewFields form={form} />}
    </FormDialog>
  )
}

const valuesOf = ({ issuer, corpId, address, ...row }: SignInProviderRow) => {
  const { id, version, kind, name, clientId, scopes, rules, isEnabled } = row
  return {
    ...{ id, version, kind, name, clientId, scopes, rules, isEnabled },
    ...(kind === 'oidc' ? { issuer } : { corpId, address }),
  }
}

function NewFields({ form }: { form: TypedForm<typeof insertSignInProvider.input> }) {
  const { Field } = form
  const kind = (useFieldValue(form, 'kind') as SignInProviderKind | undefined) ?? 'oidc'
  return (
    <>
      <Field name="kind" label={fields.kind}>
        <Select options={choicesOf(signInProviderKinds, kinds)} />
      </Field>
      <Fields form={form} kind={kind} isKept={false} />
    </>
  )
}

function Fields({
  form,
  kind,
  isKept,
}: {
  form: TypedForm<typeof insertSignInProvider.input> | TypedForm<typeof updateSignInProvider.input>
  kind: SignInProviderKind
  isKept: boolean
}) {
  const { Field } = form as TypedForm<typeof insertSignInProvider.input>
  return (
    <>
      <Field name="name" label={fields.name} hint={hints.name}>
        <Input maxLength={30} autoComplete="off" />
      </Field>
      {kind === 'oidc' ? (
        <Field name="issuer" label={fields.issuer} hint={hints.issuer} isNeeded>
          <Input maxLength={500} autoComplete="off" spellCheck={false} />
        </Field>
      ) : (
        <Field name="corpId" label={corpIds[kind]} isNeeded>
          <Input maxLength={64} autoComplete="off" spellCheck={false} />
        </Field>
      )}
      <Field name="clientId" label={clientIds[kind]}>
        <Input maxLength={200} autoComplete="off" spellCheck={false} />
      </Field>
      <Field
        name="clientSecret"
        label={secrets[kind]}
        hint={isKept ? hints.secretKept : undefined}
        isNeeded={kind !== 'oidc' && !isKept}
      >
        <Input.Password maxLength={500} autoComplete="new-password" />
      </Field>
      {kind === 'oidc' ? (
        <Field name="scopes" label={fields.scopes}>
          <Input maxLength={200} autoComplete="off" spellCheck={false} />
        </Field>
      ) : (
        <Field name="address" label={fields.address} hint={hints.address}>
          <Input maxLength={500} autoComplete="off" spellCheck={false} />
        </Field>
      )}
      <Field
        name="rules"
        label={fields.rules}
        hint={kind === 'oidc' ? providerTexts.rules.hint : providerTexts.rules.companyHint}
      >
        <RulesInput claim={providerTexts.rules.claims[kind === 'oidc' ? 'oidc' : 'company']} />
      </Field>
      <Field name="isEnabled" label={fields.isEnabled}>
        <FlagSwitch />
      </Field>
    </>
  )
}
