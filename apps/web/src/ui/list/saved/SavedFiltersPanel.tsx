// The panel of saved filters.
import { DeleteOutlined, EditOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import {
  deleteSavedFilter,
  insertSavedFilter,
  listSavedFilters,
  type SavedFilter,
  updateSavedFilter,
} from '@voltkeep/contract/savedFilters'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { isComposing } from '../../../lib/browser/composing.ts'
import { texts } from '../../../lib/texts/index.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { askToConfirm } from '../../buttons/Confirmation.tsx'
import { IconButton } from '../../buttons/IconButton.tsx'
import type { List } from '../useList.ts'
import styles from './SavedFilters.module.css'
import { valuesToSave } from './savedValues.ts'

const words = texts.list.saved

/** The panel of the button. Lazy: few open it, and it brings fields along. */
export default function SavedFiltersPanel({ list, path }: { list: List; path: string }) {
  const saved = useQuery(reading(listSavedFilters, { list: path }))
  const [edited, setEdited] = useState<SavedFilter>()
  const rows = saved.data ?? []
  return (
    <section className={styles.panel} aria-label={words.title}>
      {rows.length === 0 && (
        <p className={styles.none}>{saved.error?.message ?? (saved.isPending ? '…' : words.none)}</p>
      )}
      <ul>
        {rows.map((filter) => (
          <li key={filter.id}>
            {edited?.id === filter.id ? (
              <NameForm filter={filter} onDone={() => setEdited(undefined)} />
            ) : (
              <Row filter={filter} list={list} onEdit={() => setEdited(filter)} />
            )}
          </li>
        ))}
      </ul>
      <SaveForm list={list} path={path} />
    </section>
  )
}

function Row({ filter, list, onEdit }: { filter: SavedFilter; list: List; onEdit: () => void }) {
  const deleting = useWriting(deleteSavedFilter, [listSavedFilters])
  const { id, name, isOwn, isShared, ownerName, values } = filter
  const remove = async () => {
    const body = isShared ? words.removeShared(name) : words.remove(name)
    const isSure = await askToConfirm({
      title: words.removeTitle,
      body,
      confirmLabel: texts.removal.action,
      isDanger: true,
    })
    if (isSure) deleting.mutate({ id })
  }
  return (
    <>
      <button type="button" className={styles.apply} title={name} onClick={() => list.apply(values)}>
        <span>{name}</span>
        {isShared && <small>{isOwn ? words.shared : words.sharedBy(ownerName)}</small>}
      </button>
      {isOwn && (
        <>
          <IconButton label={words.editOf(name)} onClick={onEdit}>
            <EditOutlined aria-hidden="true" />
          </IconButton>
          <IconButton label={words.removeOf(name)} onClick={() => void remove()}>
            <DeleteOutlined aria-hidden="true" />
          </IconButton>
        </>
      )}
    </>
  )
}

/** Renames, and shares or no longer shares. */
function NameForm({ filter, onDone }: { filter: SavedFilter; onDone: () => void }) {
  const saving = useWriting(updateSavedFilter, [listSavedFilters])
  return (
    <Fields
      name={filter.name}
      isShared={filter.isShared}
      isBusy={saving.isPending}
      onSend={(name, isShared) =>
        saving.mutate(
          { id: filter.id, name, isShared: isShared ? 1 : 0, version: filter.version },
          { onSuccess: onDone },
        )
      }
    />
  )
}

function SaveForm({ list, path }: { list: List; path: string }) {
  const saving = useWriting(insertSavedFilter, [listSavedFilters])
  const [count, setCount] = useState(0)
  const values = valuesToSave(list)
  if (Object.keys(values).length === 0) return <p className={styles.hint}>{words.hint}</p>
  return (
    <div className={styles.save}>
      <h2>{words.saveTitle}</h2>
      <Fields
        key={count}
        name=""
        isShared={false}
        isBusy={saving.isPending}
        onSend={(name, isShared) =>
          saving.mutate(
            { list: path, name, values, isShared: isShared ? 1 : 0 },
            { onSuccess: () => setCount(count + 1) },
          )
        }
      />
    </div>
  )
}

function Fields({
  name: given,
  isShared: wasShared,
  isBusy,
  onSend,
}: {
  name: string
  isShared: boolean
  isBusy: boolean
  onSend: (name: string, isShared: boolean) => void
}) {
  const [name, setName] = useState(given)
  const [isShared, setShared] = useState(wasShared)
  const send = () => {
    if (name.trim() !== '') onSend(name.trim(), isShared)
  }
  // Not a form of its own: it is inside the form of the filters, which Enter must not submit here.
  return (
    <div className={styles.fields}>
      <Input
        size="small"
        maxLength={30}
        aria-label={words.name}
        placeholder={words.name}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onPressEnter={(event) => {
          event.preventDefault()
          if (!isComposing(event.nativeEvent)) send()
        }}
      />
      <label>
        <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} />
        {words.share}
      </label>
      <Button size="small" onClick={send} disabled={name.trim() === ''} loading={isBusy}>
        {words.save}
      </Button>
    </div>
  )
}
