// The list of API keys: made, rotated and revoked here.
import { useNavigate } from '@tanstack/react-router'
import {
  type ApiKeyRow,
  type ApiKeySecret,
  apiKeyStates,
  deleteApiKey,
  insertApiKey,
  listApiKeys,
  rotateApiKey,
} from '@voltkeep/contract/apiKeys'
import { type ReactNode, Suspense, useState } from 'react'
import * as z from 'zod/mini'
import { usePage } from '../../../lib/pages.ts'
import { useUrlState } from '../../../lib/urlState.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { useAdding } from '../../../ui/buttons/adding.tsx'
import { ConfirmButton } from '../../../ui/buttons/ConfirmButton.tsx'
import { DeleteButton } from '../../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../../ui/buttons/RowActions.tsx'
import { choicesOf } from '../../../ui/choices/choicesOf.ts'
import { late } from '../../../ui/late.tsx'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import type { Column } from '../../../ui/list/DataTable.tsx'
import { ChoiceFilter, TextFilter } from '../../../ui/list/filters.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { operationColumn, textColumn } from '../../../ui/list/plainColumns.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Nothing } from '../../../ui/marks/Nothing.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { StateTag } from '../../../ui/work/StateTag.tsx'
import { keyTexts } from '../keys.texts.ts'

const FeedView = late(() => import('./FeedView.tsx'))
const ApiKeyDialog = lazyDialog(() => import('./ApiKeyDialog.tsx'))
const SecretDialog = lazyDialog(() => import('./SecretDialog.tsx'), { isForced: true })

const { fields, sightWords, remove } = keyTexts
const looks = { active: 'done', expired: 'expired', stopped: 'stopped' } as const

const stateOf = ({ state }: ApiKeyRow) => <StateTag state={looks[state]}>{keyTexts.states[state]}</StateTag>

function sightOf({ authorityEntities }: ApiKeyRow): string {
  if (authorityEntities === null) return sightWords.hidden
  if (authorityEntities.length === 0) return sightWords.own
  return sightWords.some(authorityEntities.map(({ type }) => sightWords.kinds[type]).join('、'))
}
const usedOf = ({ lastUsedTime }: ApiKeyRow) =>
  lastUsedTime === null ? <Nothing /> : <RelativeTime time={lastUsedTime} isShort />
const hintsOf = ({ secrets }: ApiKeyRow) => secrets.map(({ hint }) => keyTexts.hint(hint)).join(' ')

const TabSearch = z.object({ tab: z._default(z.enum(['keys', 'feed']), 'keys') })

/** The keys, and what other systems read with them. */
export default function ApiKeyPage() {
  const { title } = usePage()
  const [{ tab }] = useUrlState(TabSearch)
  const navigate = useNavigate()
  const head = (
    <Tabs
      label={title}
      active={tab}
      // The other tab starts without filters.
      onChange={(next) => void navigate({ to: '.', search: (next === 'keys' ? {} : { tab: next }) as never })}
      tabs={[
        { key: 'keys', title: keyTexts.tabs.keys },
        { key: 'feed', title: keyTexts.tabs.feed },
      ]}
    />
  )
  return tab === 'feed' ? (
    <Suspense fallback={head}>
      <FeedView title={title} head={head} />
    </Suspense>
  ) : (
    <KeyList head={head} />
  )
}

function KeyList({ head }: { head: ReactNode }) {
  const { title } = usePage()
  const list = useList(listApiKeys)
  const adding = useAdding(insertApiKey, keyTexts)
  const [fresh, setFresh] = useState<ApiKeySecret>()
  const mayRotate = usePermission(rotateApiKey.access)
  const mayDelete = usePermission(deleteApiKey.access)
  const deleting = useWriting(deleteApiKey, [listApiKeys], { said: remove.done })

  const actions = (row: ApiKeyRow) => (
    <RowActions
      more={
        mayDelete &&
        row.isManageable && (
          <DeleteButton
            words={remove}
            asks={[remove.ask(row.name), remove.warn]}
            onConfirm={() => deleting.mutateAsync({ id: row.id })}
          />
        )
      }
    >
      {mayRotate && row.isOwn && <RotateButton row={row} onDone={setFresh} />}
    </RowActions>
  )
  const columns: Column<ApiKeyRow>[] = [
    textColumn('name', fields.name, { maxWidth: 220, fixed: 'left' }),
    { key: 'state', title: fields.state, width: 96, render: stateOf },
    textColumn('expireTime', fields.expireTime, { width: 158 }),
    {
      key: 'secret',
      title: fields.secret,
      width: 104,
      render: (row) => <span className="mono">{hintsOf(row)}</span>,
    },
    textColumn('makerName', fields.maker, { key: 'maker', maxWidth: 140 }),
    textColumn('organizationName', fields.organization, { key: 'organization', maxWidth: 180 }),
    {
      key: 'functions',
      title: fields.functions,
      width: 96,
      render: ({ functionCodes }) => (
        <span title={functionCodes.join('\n')}>{keyTexts.functionCount(functionCodes.length)}</span>
      ),
    },
    { key: 'sight', title: fields.sight, maxWidth: 180, render: sightOf },
    {
      key: 'networks',
      title: fields.networks,
      maxWidth: 180,
      render: ({ networks }) => networks.join('、') || keyTexts.anyNetwork,
    },
    {
      key: 'lastUsed',
      title: fields.lastUsed,
      width: 116,
      render: (row) => <span title={row.lastUsedAddress ?? undefined}>{usedOf(row)}</span>,
    },
    ...(mayRotate || mayDelete ? [operationColumn(104, actions)] : []),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={keyTexts.measure}
        head={head}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <TextFilter of={draft} name="name" label={fields.name} placeholder={fields.nameHint} />
            <ChoiceFilter
              of={draft}
              name="state"
              label={fields.state}
              options={choicesOf(apiKeyStates, keyTexts.states)}
            />
          </>
        )}
        actions={adding.button}
        card={(row) => ({
          lead: row.name,
          aside: stateOf(row),
          second: [row.makerName, hintsOf(row), row.expireTime].join(' · '),
          action: actions(row),
        })}
        empty={adding.empty}
        emptyFiltered={keyTexts.emptyFiltered}
      />
      {adding.isOpen && <ApiKeyDialog onDone={setFresh} onClose={adding.close} />}
      {fresh && <SecretDialog key={fresh.secret} fresh={fresh} onClose={() => setFresh(undefined)} />}
    </>
  )
}

/** The former secret works on for a day, so that nothing has to be changed at the same moment. */
const overlapHours = 24

function RotateButton({ row, onDone }: { row: ApiKeyRow; onDone: (fresh: ApiKeySecret) => void }) {
  const { title, ask, warn, action } = keyTexts.rotate
  const rotating = useWriting(rotateApiKey, [listApiKeys], { said: false })
  const rotate = async () => {
    onDone(await rotating.mutateAsync({ id: row.id, overlapHours }))
    // The answer contains a secret: it is removed from the mutation's state.
    rotating.reset()
  }
  return (
    <ConfirmButton
      type="link"
      size="small"
      title={title}
      body={
        <>
          <p>{ask(row.name)}</p>
          <p>{warn(overlapHours)}</p>
        </>
      }
      confirmLabel={action}
      onConfirm={rotate}
    >
      {action}
    </ConfirmButton>
  )
}
