// The form of a channel.
import { ReloadOutlined } from '@ant-design/icons'
import { languages } from '@voltkeep/contract/languages'
import {
  type ChannelKind,
  channelKinds,
  insertNotifyChannel,
  listNotifyChannels,
  type NotifyChannelRow,
  updateNotifyChannel,
} from '@voltkeep/contract/notifications'
import { Button, Input, InputNumber, Select, Space, Switch } from 'antd'
import { languageNames } from '../../lib/browser/language.ts'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { call } from '../../lib/wire/call.ts'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { FlagSwitch } from '../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { useFieldValue } from '../../ui/form/useFieldValue.ts'
import styles from './notifications.module.css'
import { notificationTexts } from './notifications.texts.ts'

const { channels, kinds, choose } = notificationTexts
const { fields, hints } = channels

const mailDefaults = { port: 465, isTls: true }

/** Adds a channel; or changes one, whose address and secret are not read back. */
export default function ChannelDialog({
  channel,
  stale,
  onClose,
}: {
  channel?: NotifyChannelRow | undefined
  stale: readonly AnyEndpoint[]
  onClose: () => void
}) {
  const readPresent = async (changed: NotifyChannelRow) => {
    const { rows } = await call(listNotifyChannels, { ids: [changed.id] })
    return valuesOf(rows[0] ?? changed)
  }
  if (channel)
    return (
      <FormDialog
        title={channels.editTitle(channel.name)}
        endpoint={updateNotifyChannel}
        stale={stale}
        initial={valuesOf(channel)}
        readPresent={() => readPresent(channel)}
        onClose={onClose}
      >
        {(form) => <Fields form={form} kind={channel.kind} known={channel} />}
      </FormDialog>
    )
  return (
    <FormDialog
      title={channels.add}
      endpoint={insertNotifyChannel}
      stale={stale}
      initial={{ language: 'zh', isEnabled: 1 }}
      onClose={onClose}
    >
      {(form) => <NewFields form={form} />}
    </FormDialog>
  )
}

const valuesOf = ({ id, version, name, language, isEnabled, settings, sms }: NotifyChannelRow) => ({
  id,
  version,
  name,
  language,
  isEnabled,
  ...(settings !== null && { settings }),
  ...(sms !== null && { sms }),
})

function NewFields({ form }: { form: TypedForm<typeof insertNotifyChannel.input> }) {
  const { Field } = form
  const kind = useFieldValue(form, 'kind')
  return (
    <>
      <Field name="kind" label={fields.kind}>
        <Select
          placeholder={choose}
          options={choicesOf(channelKinds, kinds)}
          onChange={(next: ChannelKind) =>
            form.setValues({ settings: next === 'mail' ? (mailDefaults as never) : undefined })
          }
        />
      </Field>
      {kind && <Fields form={form} kind={kind} />}
    </>
  )
}

/** The fields that both forms have. */
type CommonForm = TypedForm<typeof updateNotifyChannel.input>

function Fields({
  form,
  kind,
  known,
}: {
  form: TypedForm<typeof insertNotifyChannel.input> | CommonForm
  kind: ChannelKind
  known?: NotifyChannelRow
}) {
  const { Field } = form as CommonForm
  const isMail = kind === 'mail'
  const isSms = kind === 'aliyunSms' || kind === 'tencentSms'
  return (
    <>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      <Field
        name="address"
        label={isMail ? fields.receivers : isSms ? fields.numbers : fields.address}
        isNeeded={!known}
        hint={hints[kind]}
      >
        <Input
          maxLength={2_000}
          autoComplete="off"
          spellCheck={false}
          placeholder={known && `${known.addressHint}（${channels.addressKept}）`}
        />
      </Field>
      {isMail && <MailFields form={form as CommonForm} />}
      {isSms && <SmsFields form={form as CommonForm} kind={kind} />}
      {kind !== 'wecom' && (
        <SecretField form={form as CommonForm} kind={kind} isKept={known?.hasSecret ?? false} />
      )}
      <Field name="language" label={fields.language} hint={channels.languageHint}>
        <Select options={languages.map((each) => ({ value: each, label: languageNames[each] }))} />
      </Field>
      <Field name="isEnabled" label={fields.isEnabled}>
        <FlagSwitch />
      </Field>
    </>
  )
}

function MailFields({ form: { Field } }: { form: CommonForm }) {
  return (
    <div className={styles.pair}>
      <Field name="settings.host" label={fields.host}>
        <Input maxLength={255} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="settings.port" label={fields.port}>
        <InputNumber min={1} max={65_535} precision={0} />
      </Field>
      <Field name="settings.from" label={fields.from}>
        <Input maxLength={255} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="settings.isTls" label={fields.isTls} valuePropName="checked">
        <Switch />
      </Field>
      <Field name="settings.user" label={fields.user}>
        <Input maxLength={128} autoComplete="off" spellCheck={false} />
      </Field>
    </div>
  )
}

function SmsFields({ form: { Field }, kind }: { form: CommonForm; kind: 'aliyunSms' | 'tencentSms' }) {
  const isTencent = kind === 'tencentSms'
  return (
    <>
      <div className={styles.pair}>
        <Field name="sms.account" label={isTencent ? fields.accountTencent : fields.accountAliyun}>
          <Input maxLength={128} autoComplete="off" spellCheck={false} />
        </Field>
        {isTencent && (
          <Field name="sms.appId" label={fields.appId} isNeeded>
            <Input maxLength={32} autoComplete="off" spellCheck={false} />
          </Field>
        )}
        <Field name="sms.sign" label={fields.sign}>
          <Input maxLength={64} autoComplete="off" />
        </Field>
      </div>
      <Field name="sms.template" label={fields.template} hint={channels.templateHints[kind]}>
        <Input maxLength={64} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="sms.endpoint" label={fields.endpoint} hint={channels.endpointHint}>
        <Input maxLength={255} autoComplete="off" spellCheck={false} />
      </Field>
    </>
  )
}

const secretLabels: Partial<Record<ChannelKind, string>> = {
  mail: fields.password,
  aliyunSms: fields.keyAliyun,
  tencentSms: fields.keyTencent,
}

function SecretField({ form, kind, isKept }: { form: CommonForm; kind: ChannelKind; isKept: boolean }) {
  const { Field } = form
  const isWebhook = kind === 'webhook'
  const hint = isKept ? channels.secretKept : isWebhook ? channels.webhookSecretHint : undefined
  if (!isWebhook)
    return (
      <Field name="secret" label={secretLabels[kind] ?? fields.secret} hint={hint}>
        <Input.Password maxLength={256} autoComplete="new-password" />
      </Field>
    )
  return (
    <Field name="secret" label={fields.secret} isNeeded={!isKept} hint={hint}>
      <SecretInput />
    </Field>
  )
}

/** In sight, since the receiver needs it; made at a press. */
function SecretInput({
  value = '',
  onChange,
  ...control
}: {
  /** Set by the form's field. */
  id?: string
  value?: string
  onChange?: (value: string) => void
}) {
  return (
    <Space.Compact className={styles.whole ?? ''}>
      <Input
        {...control}
        value={value}
        maxLength={256}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange?.(target.value)}
      />
      <Button icon={<ReloadOutlined aria-hidden="true" />} onClick={() => onChange?.(newSecret())}>
        {channels.generate}
      </Button>
    </Space.Compact>
  )
}

const secretBytes = 32

/** In the form of Standard Webhooks. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
