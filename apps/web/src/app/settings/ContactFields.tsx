// How the user is reached by notices that tell people: an address through each channel.
import { useQuery } from '@tanstack/react-query'
import {
  deleteNotifyContact,
  listNotifyContacts,
  type NotifyContact,
  saveNotifyContact,
} from '@voltkeep/contract/notifyContacts'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import styles from './SettingsDialog.module.css'
import { settingsTexts } from './settings.texts.ts'

const { contacts: words } = settingsTexts

export default function ContactFields() {
  const contacts = useQuery(reading(listNotifyContacts, {}))
  if (contacts.data?.length === 0) return <p className={styles.hint}>{words.none}</p>
  return (
    <>
      {contacts.data?.map((contact) => (
        <ContactField key={contact.channelId} contact={contact} />
      ))}
      <p className={styles.hint}>{words.hint}</p>
    </>
  )
}

function ContactField({ contact: { channelId, channelName, kind, address } }: { contact: NotifyContact }) {
  const [typed, setTyped] = useState(address ?? '')
  const save = useWriting(saveNotifyContact, [listNotifyContacts])
  const remove = useWriting(deleteNotifyContact, [listNotifyContacts])
  const isRemoval = typed.trim() === ''
  const { placeholders } = words
  const send = () =>
    isRemoval ? remove.mutate({ channelId }) : save.mutate({ channelId, address: typed.trim() })
  return (
    <div className={styles.contact}>
      <span>{channelName}</span>
      <Input
        aria-label={channelName}
        autoComplete="off"
        maxLength={255}
        placeholder={kind === 'mail' || kind === 'feishu' ? placeholders[kind] : placeholders.mobile}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button
        disabled={typed.trim() === (address ?? '')}
        loading={save.isPending || remove.isPending}
        onClick={send}
      >
        {isRemoval ? words.remove : words.save}
      </Button>
    </div>
  )
}
