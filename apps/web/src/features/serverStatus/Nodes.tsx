// The processes on the same database: who takes devices, which release each runs, and how far behind it is.
import { useQuery } from '@tanstack/react-query'
import { listNodes, type NodeRow } from '@voltkeep/contract/server'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { formatCount } from '../../lib/format.ts'
import { reading } from '../../lib/wire/reading.ts'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { TableBox } from '../../ui/list/TableBox.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { Waiting } from '../../ui/Waiting.tsx'
import styles from './serverStatus.module.css'
import { serverTexts } from './serverStatus.texts.ts'

const { nodeFields: fields, ...words } = serverTexts
const refreshMs = 5_000

const rolesOf = ({ roles }: NodeRow) => roles.map((role) => words.roleNames[role] ?? role).join('、')

const columns: Column<NodeRow>[] = [
  { key: 'name', title: fields.name, render: ({ name, address }) => <span title={address}>{name}</span> },
  { key: 'state', title: fields.state, width: 90, render: (node) => <State of={node} /> },
  { key: 'roles', title: fields.roles, width: 260, render: rolesOf },
  { key: 'version', title: fields.version, width: 96, render: ({ version }) => version },
  {
    key: 'devices',
    title: fields.devices,
    width: 96,
    align: 'right',
    render: ({ deviceCount }) => (deviceCount === null ? <Nothing /> : formatCount(deviceCount)),
  },
  {
    key: 'lag',
    title: fields.lag,
    width: 110,
    align: 'right',
    render: ({ lagMs }) => (lagMs === null ? <Nothing /> : words.latency(lagMs)),
  },
  {
    key: 'started',
    title: fields.started,
    width: 226,
    render: ({ startTime }) => <RelativeTime time={startTime} />,
  },
]

export function Nodes() {
  const isNarrow = useMedia(narrowQuery)
  const { data, isError, error } = useQuery({
    ...reading(listNodes, {}),
    refetchInterval: refreshMs,
    meta: { isQuiet: true },
  })
  if (!data) {
    return isError ? (
      <p role="alert" className={styles.bad}>
        {words.failed}：{error.message}
      </p>
    ) : (
      <Waiting />
    )
  }
  return (
    <TableBox>
      <DataTable
        label={words.nodes}
        columns={columns}
        rows={data}
        keyOf={({ id }) => id}
        isNarrow={isNarrow}
        card={(node) => ({
          lead: node.name,
          aside: <State of={node} />,
          second: `${rolesOf(node)} · ${node.version}`,
          action: node.deviceCount === null ? undefined : words.nodeDevices(formatCount(node.deviceCount)),
        })}
      />
    </TableBox>
  )
}

function State({ of: { state } }: { of: NodeRow }) {
  const looks = { serving: styles.good, draining: styles.good, lost: styles.bad, stopped: undefined }
  return <span className={looks[state]}>{words.nodeStates[state]}</span>
}
