// The server's present state. SYSTEM users also get its log files, which the server gives to nobody else.
import { useQuery } from '@tanstack/react-query'
import { readServerInfo, type ServerInfo } from '@voltkeep/contract/server'
import { Alert, Button } from 'antd'
import type { ReactNode } from 'react'
import { formatBytes, formatCount, formatDuration, formatShare } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { useIsSystem } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { Facts } from '../../ui/detail/DetailPanel.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Waiting } from '../../ui/Waiting.tsx'
import { Jobs } from './Jobs.tsx'
import { Limits } from './Limits.tsx'
import { Logs } from './Logs.tsx'
import { Nodes } from './Nodes.tsx'
import styles from './serverStatus.module.css'
import { serverTexts } from './serverStatus.texts.ts'

const words = serverTexts
const refreshMs = 5_000

export default function ServerPage() {
  const { title } = usePage()
  const isSystem = useIsSystem()
  const query = useQuery({
    ...reading(readServerInfo, {}),
    refetchInterval: refreshMs,
    meta: { isQuiet: true },
  })
  const info = query.data
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{title}</h1>
        {info && <span className={styles.quiet}>{words.readAt(info.serverTime)}</span>}
        {info && query.isError && (
          <span role="alert" className={styles.bad}>
            {words.failed}：{query.error.message}
          </span>
        )}
      </header>
      {!info && query.isError && (
        <EmptyState
          title={words.failed}
          hint={query.error.message}
          action={<Button onClick={() => void query.refetch()}>{texts.list.retry}</Button>}
        />
      )}
      {info ? <Overview info={info} /> : !query.isError && <Unread />}
      {isSystem && (
        <Section title={words.logs}>
          <Logs />
        </Section>
      )}
    </div>
  )
}

function Overview({ info }: { info: ServerInfo }) {
  return (
    <>
      <Warnings lines={info.warnings} />
      <div className={styles.columns}>
        <Section title={words.summary}>
          <Summary info={info} />
        </Section>
        <Section title={words.resources}>
          <Resources info={info} />
        </Section>
        <Section title={words.database}>
          <Database database={info.database} readings={info.readings} backup={info.backup} />
        </Section>
        <Section title={words.broker}>
          <Broker broker={info.broker} />
        </Section>
      </div>
      <div className={styles.tables}>
        <Section title={words.nodes}>
          <Nodes />
        </Section>
        <Section title={words.limits}>
          <p className={styles.hint}>{words.limitsHint}</p>
          <Limits limits={info.limits} />
        </Section>
        <Section title={words.jobs}>
          <Jobs jobs={info.jobs} />
        </Section>
      </div>
    </>
  )
}

/** Problems that the operator of the server should solve. */
function Warnings({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <section className={styles.warnings} aria-label={words.warnings}>
      {lines.map((line) => (
        <Alert key={line} type="warning" showIcon title={line} />
      ))}
    </section>
  )
}

/** Placeholders before the first answer, about as high as the parts: the log below them hardly moves. */
function Unread() {
  return (
    <>
      <div className={styles.columns}>
        {[words.summary, words.resources, words.database, words.broker].map((title) => (
          <Section key={title} title={title}>
            <Waiting />
          </Section>
        ))}
      </div>
      <div className={styles.tables}>
        {[words.nodes, words.limits, words.jobs].map((title) => (
          <Section key={title} title={title}>
            <Waiting lines={24} />
          </Section>
        ))}
      </div>
    </>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h2 className={styles.sectionTitle}>{title}</h2>
      {children}
    </section>
  )
}

function Summary({ info }: { info: ServerInfo }) {
  return (
    <Facts
      facts={[
        [words.version, info.version],
        [words.uptime, formatDuration(info.uptimeSeconds * 1000)],
        [words.startTime, info.startTime],
        [words.roles, info.roles.map((role) => words.roleNames[role] ?? role).join('、')],
        [words.hostName, info.hostName],
        [words.platform, info.platform],
        [words.node, info.nodeVersion],
        [words.zone, info.zone],
      ]}
    />
  )
}

function Resources({ info: { cpu, memory, disk } }: { info: ServerInfo }) {
  const usedMemory = memory.totalBytes - memory.availableBytes
  const usedDisk = disk.totalBytes - disk.freeBytes
  return (
    <ul className={styles.meters}>
      <Meter
        name={words.cpu}
        share={cpu.systemPercent === null ? null : cpu.systemPercent / 100}
        value={words.cpuHint(cpu.count, cpu.model)}
        hint={[
          cpu.processPercent === null ? '' : words.cpuUse(`${cpu.processPercent}%`),
          words.load(cpu.loadAverage.join(' / ')),
        ]}
      />
      <Meter
        name={words.memory}
        share={usedMemory / memory.totalBytes}
        value={words.memoryUse(formatBytes(usedMemory), formatBytes(memory.totalBytes))}
        hint={[words.processMemory(formatBytes(memory.processBytes), formatBytes(memory.heapBytes))]}
      />
      <Meter
        name={words.disk}
        share={usedDisk / disk.totalBytes}
        value={words.diskUse(formatBytes(usedDisk), formatBytes(disk.totalBytes))}
        hint={[words.diskFree(formatBytes(disk.freeBytes)), disk.path]}
      />
    </ul>
  )
}

/** A share as a bar and in words, shown as a warning from 90 % on. */
function Meter({
  name,
  share,
  value,
  hint,
}: {
  name: string
  /** Null while unknown. */
  share: number | null
  value: string
  hint: readonly string[]
}) {
  const isFull = share !== null && share >= 0.9
  return (
    <li className={styles.meter}>
      <span className={styles.meterName}>{name}</span>
      <span>
        {value} {share !== null && <strong data-full={isFull || undefined}>{formatShare(share, 1)}</strong>}
      </span>
      {/* Drawn by the browser it would not fill its track. */}
      <meter aria-label={name} className="visually-hidden" value={Math.min(1, share ?? 0)} />
      <span className={styles.track} data-full={isFull || undefined} aria-hidden="true">
        <span style={{ width: `${Math.min(1, share ?? 0) * 100}%` }} />
      </span>
      <span className={styles.quiet}>{hint.filter(Boolean).join(' · ')}</span>
    </li>
  )
}

function Database({ database, readings, backup }: Pick<ServerInfo, 'database' | 'readings' | 'backup'>) {
  const fields = words.databaseFields
  return (
    <Facts
      facts={[
        [fields.state, <State key="state" isReachable={database.isReachable} />],
        [fields.kind, kindOf(database)],
        [fields.latency, database.latencyMs === null ? null : words.latency(database.latencyMs)],
        [fields.version, database.version && `PostgreSQL ${database.version}`],
        [fields.size, database.sizeBytes === null ? null : formatBytes(database.sizeBytes)],
        [fields.connections, database.connectionCount],
        [fields.backup, backupOf(backup)],
        ...(readings ? factsOf(readings) : []),
      ]}
    />
  )
}

function backupOf(backup: ServerInfo['backup']): string {
  if (!backup) return words.noBackups
  const { lastTime, sizeBytes } = backup
  return lastTime === null ? words.noBackupYet : words.lastBackup(lastTime, formatBytes(sizeBytes ?? 0))
}

/** What the history of readings takes, by how finely it is kept, and what need not be kept again. */
function factsOf({ stores, keptCount, thinnedCount, refusedCount }: NonNullable<ServerInfo['readings']>) {
  const facts: [string, ReactNode][] = stores.map(({ level, sizeBytes, keptDays }) => [
    words.readings[level],
    words.keptFor(formatBytes(sizeBytes), keptDays),
  ])
  const inAll = (keptCount ?? 0) + (thinnedCount ?? 0)
  if (inAll > 0) {
    const share = formatShare((thinnedCount ?? 0) / inAll, 1)
    facts.push([words.thinned, words.thinnedShare(share, formatCount(keptCount ?? 0))])
  }
  if (refusedCount) facts.push([words.readingsRefused, words.readingsCount(formatCount(refusedCount))])
  return facts
}

function Broker({ broker }: { broker: ServerInfo['broker'] }) {
  const fields = words.brokerFields
  const rate = (perSecond: number | null) => perSecond !== null && words.perSecond(perSecond)
  const count = (of: number | null) => of !== null && words.sinceStart(formatCount(of))
  if (!broker.isHere) return <p className={styles.quiet}>{words.elsewhere}</p>
  return (
    <Facts
      facts={[
        [fields.state, <State key="state" isReachable={broker.isReachable === true} />],
        [fields.kind, kindOf(broker)],
        [fields.connections, broker.connectionCount === null ? null : formatCount(broker.connectionCount)],
        [fields.rate, rate(broker.messagesPerSecond) || null],
        [fields.messages, count(broker.messageCount) || null],
        [fields.refusals, count(broker.refusalCount) || null],
        [fields.refusalRate, rate(broker.refusalsPerSecond) || null],
        ...(broker.unwritten?.length
          ? [[fields.unwritten, <Unwritten key="unwritten" unwritten={broker.unwritten} />] as const]
          : []),
      ]}
    />
  )
}

function Unwritten({ unwritten }: { unwritten: NonNullable<ServerInfo['broker']['unwritten']> }) {
  return (
    <span role="alert" className={styles.bad}>
      {unwritten.map(({ name, count }) => words.unwritten(name, formatCount(count))).join('、')}
      <br />
      {words.unwrittenHint}
    </span>
  )
}

function kindOf({ isEmbedded, address }: { isEmbedded: boolean; address: string | null }): string {
  return isEmbedded ? words.embedded : [words.external, address].filter(Boolean).join(' · ')
}

function State({ isReachable }: { isReachable: boolean }) {
  return (
    <span className={isReachable ? styles.good : styles.bad}>
      {isReachable ? words.reachable : words.unreachable}
    </span>
  )
}
