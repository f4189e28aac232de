// The list of identity providers, for SYSTEM users.
import {
  deleteSignInProvider,
  insertSignInProvider,
  listSignInProviders,
  nameSignInProviders,
  type SignInProviderRow,
  updateSignInProvider,
} from '@voltkeep/contract/signIn'
import { formatCount } from '../../../lib/format.ts'
import { PageContext, usePage } from '../../../lib/pages.ts'
import { useIsSystem } from '../../../lib/session.ts'
import { CopyText } from '../../../ui/CopyText.tsx'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import type { Column } from '../../../ui/list/DataTable.tsx'
import { NounPage } from '../../../ui/list/NounPage.tsx'
import { textColumn, timeColumn } from '../../../ui/list/plainColumns.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { StateTag } from '../../../ui/work/StateTag.tsx'
import { providerTexts } from '../providers.texts.ts'

const ProviderDialog = lazyDialog(() => import('./ProviderDialog.tsx'))

const { fields, kinds, remove, isOn } = providerTexts
const stale = [listSignInProviders, nameSignInProviders]

const stateOf = ({ isEnabled }: SignInProviderRow) => (
  <StateTag state={isEnabled === 1 ? 'done' : 'stopped'}>{isOn[isEnabled]}</StateTag>
)
/** An issuer by its address, a company by its id there. */
const whoOf = ({ issuer, corpId }: SignInProviderRow) => corpId ?? issuer
const columns: Column<SignInProviderRow>[] = [
  textColumn('name', fields.name, { maxWidth: 200, fixed: 'left' }),
  { key: 'state', title: fields.state, width: 96, render: stateOf },
  { key: 'kind', title: fields.kind, width: 128, render: ({ kind }) => kinds[kind] },
  {
    key: 'issuer',
    title: fields.provider,
    maxWidth: 240,
    render: (row) => <span className="mono">{whoOf(row)}</span>,
  },
  textColumn('clientId', fields.clientId, { maxWidth: 140, isMono: true }),
  {
    key: 'rules',
    title: fields.rules,
    width: 88,
    render: ({ rules }) => (
      <span title={rules.map(({ claim, value }) => `${claim} = ${value}`).join('\n')}>
        {providerTexts.ruleCount(rules.length)}
      </span>
    ),
  },
  {
    key: 'users',
    title: fields.users,
    width: 96,
    align: 'right',
    render: ({ userCount }) => providerTexts.unit(formatCount(userCount)),
  },
  {
    key: 'returnAddress',
    title: fields.returnAddress,
    maxWidth: 280,
    render: ({ returnAddress }) => <CopyText text={returnAddress} />,
  },
  timeColumn('createTime', fields.createTime),
]

/** Its calls need no function but SYSTEM. */
export default function ProviderPage() {
  const page = usePage()
  const isSystem = useIsSystem()
  const allRole = isSystem ? [...page.allRole, insertSignInProvider.access] : page.allRole
  return (
    <PageContext value={{ ...page, allRole }}>
      <ProviderList />
    </PageContext>
  )
}

function ProviderList() {
  const list = useList(listSignInProviders)
  return (
    <NounPage
      words={providerTexts}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      card={(provider) => ({
        lead: provider.name,
        aside: stateOf(provider),
        second: `${kinds[provider.kind]} · ${whoOf(provider)} · ${providerTexts.ruleCount(provider.rules.length)}`,
      })}
      insert={insertSignInProvider}
      update={updateSignInProvider}
      form={({ row, onClose }) => <ProviderDialog provider={row} stale={stale} onClose={onClose} />}
      remove={{
        endpoint: deleteSignInProvider,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ name }) => [remove.ask(name), remove.warn],
        stale,
      }}
    />
  )
}
