// The tab of channels.
import {
  channelKinds,
  deleteNotifyChannel,
  insertNotifyChannel,
  listNotifyChannels,
  type NotifyChannelRow,
  nameNotifyChannels,
  testNotifyChannel,
  updateNotifyChannel,
} from '@voltkeep/contract/notifications'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { notify } from '../../lib/notices.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { StateTag } from '../../ui/work/StateTag.tsx'
import { notificationTexts } from './notifications.texts.ts'

const ChannelDialog = lazyDialog(() => import('./ChannelDialog.tsx'))

const { channels, kinds, isOn } = notificationTexts
const { fields, remove } = channels
const stale = [listNotifyChannels, nameNotifyChannels]

function stateOf({ isEnabled, lastError, pausedUntil }: NotifyChannelRow) {
  if (isEnabled === 0) return <StateTag state="stopped">{isOn[0]}</StateTag>
  if (pausedUntil !== null) return <StateTag state="paused">{channels.paused(pausedUntil)}</StateTag>
  return lastError === null ? (
    <StateTag state="done">{isOn[1]}</StateTag>
  ) : (
    <StateTag state="failed">{lastError}</StateTag>
  )
}

const columns: Column<NotifyChannelRow>[] = [
  textColumn('name', fields.name, { maxWidth: 240, fixed: 'left' }),
  { key: 'kind', title: fields.kind, width: 136, render: ({ kind }) => kinds[kind] },
  textColumn('addressHint', fields.address, { key: 'address', maxWidth: 280, isMono: true }),
  {
    key: 'waiting',
    title: fields.waiting,
    width: 96,
    align: 'right',
    render: ({ waitingCount }) => channels.unit(formatCount(waitingCount)),
  },
  {
    key: 'last',
    title: fields.last,
    width: 128,
    render: ({ lastDeliveredTime }) =>
      lastDeliveredTime === null ? <Nothing /> : <RelativeTime time={lastDeliveredTime} isShort />,
  },
  textColumn('organizationName', fields.organization, { key: 'organization', maxWidth: 180 }),
  { key: 'state', title: fields.state, render: stateOf },
]

export function ChannelList({ head }: { head: ReactNode }) {
  const list = useList(listNotifyChannels)
  return (
    <NounPage
      head={head}
      words={channels}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          <TextFilter of={draft} name="name" label={fields.name} />
          <ChoiceFilter of={draft} name="kind" label={fields.kind} options={choicesOf(channelKinds, kinds)} />
        </>
      )}
      card={(channel) => ({
        lead: channel.name,
        aside: stateOf(channel),
        second: `${kinds[channel.kind]} · ${channel.addressHint}`,
      })}
      insert={insertNotifyChannel}
      update={updateNotifyChannel}
      also={({ id }) => (
        <Permitted code={testNotifyChannel.access}>
          <TestButton id={id} />
        </Permitted>
      )}
      actionsPx={148}
      form={({ row, onClose }) => <ChannelDialog channel={row} stale={stale} onClose={onClose} />}
      remove={{
        endpoint: deleteNotifyChannel,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ name }) => [remove.ask(name), remove.warn],
        stale,
      }}
    />
  )
}

/** Sends a message now, and says what the provider answered. */
function TestButton({ id }: { id: string }) {
  const testing = useWriting(testNotifyChannel, [], { said: false })
  const test = async () => {
    const { isDelivered, code, message } = await testing.mutateAsync({ id })
    if (isDelivered) notify.success(channels.testDelivered)
    else notify.error(channels.testFailed(code, message))
  }
  return (
    <Button
      type="link"
      size="small"
      loading={testing.isPending}
      // A refusal is told where all of them are.
      onClick={() => void test().catch(() => undefined)}
    >
      {channels.test}
    </Button>
  )
}
