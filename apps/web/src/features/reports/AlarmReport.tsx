// 告警质量: the figures of ISA-18.2 beside their targets, and what to do about the worst alarms.
import {
  type AlarmGroup,
  alarmGroupNames,
  alarmTargets,
  exportAlarmReport,
  type AlarmReport as Report,
  readAlarmReport,
  reportRows,
} from '@voltkeep/contract/reports'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { Figures, Part, ReportFrame } from './ReportFrame.tsx'
import { decimal, percent } from './reports.format.ts'
import styles from './reports.module.css'
import { reportTexts } from './reports.texts.ts'
import { SubscribeButton } from './SubscribeButton.tsx'
import { useReport } from './useReport.ts'

const words = reportTexts.quality
const groupFields = {
  operator: 'operatorId',
  region: 'regionCode',
  model: 'equipModelId',
  code: 'semaphoreCode',
  device: 'equipId',
} as const satisfies Record<AlarmGroup, string>

export default function AlarmReport({ head }: { head: ReactNode }) {
  const { report, frame, filters, places } = useReport(readAlarmReport)
  return (
    <ReportFrame
      {...frame}
      title={reportTexts.tabs.alarm}
      head={head}
      actions={
        <>
          <SubscribeButton kind="alarm" groupBy={frame.group} places={places} />
          <ExportButton endpoint={exportAlarmReport} filters={filters} />
        </>
      }
      groups={alarmGroupNames}
    >
      {report && <Content report={report} groupBy={frame.group} places={places} />}
    </ReportFrame>
  )
}

/** How many alarms, as a link to the list that counts as many. */
function Counted({ count, search }: { count: number; search: object }) {
  if (count === 0) return <span className={styles.none}>0</span>
  return (
    <PageLink page="maintenance/exitWarning" search={{ tab: 'history', ...search }} className="tap">
      {formatCount(count)}
    </PageLink>
  )
}

function Content({
  report,
  groupBy,
  places,
}: {
  report: Report
  groupBy: AlarmGroup
  places: Record<string, unknown>
}) {
  const range = { startTime: report.startDay, endTime: report.endDay }
  const all = { ...places, ...range }
  /** Alarms that stand, whenever they began. */
  const standing = { ...places, status: 1, startTime: '2000-01-01', endTime: report.standingBefore }
  const { total } = report
  return (
    <>
      <Part title={words.targets} hint={words.targetsHint}>
        <Figures heads={[words.figure, words.now, words.good, words.most, words.state]}>
          <Metric
            name={words.metrics.perDay}
            value={total.perDay}
            limits={alarmTargets.perDay}
            shown={<Counted count={total.count} search={all} />}
            text={decimal(total.perDay)}
          />
          <Metric
            name={words.metrics.perTenMinutes}
            value={total.perTenMinutes}
            limits={alarmTargets.perTenMinutes}
            text={decimal(total.perTenMinutes)}
          />
          <Metric
            name={words.metrics.peak}
            value={total.peak}
            limits={{ good: alarmTargets.floodBegins }}
            text={formatCount(total.peak)}
          />
          <Metric
            name={words.metrics.floodShare}
            value={total.floodShare}
            limits={{ good: alarmTargets.floodShare }}
            format={percent}
            text={percent(total.floodShare)}
          />
          <Metric
            name={words.metrics.floodCount}
            value={total.floodCount}
            limits={{ good: 0 }}
            text={formatCount(total.floodCount)}
          />
          <Metric
            name={words.metrics.topShare}
            value={total.topShare}
            limits={{ good: alarmTargets.topShare }}
            format={percent}
            text={percent(total.topShare)}
          />
          <Metric
            name={words.metrics.chattering}
            value={total.chatteringCount}
            limits={{ good: alarmTargets.chattering }}
            text={formatCount(total.chatteringCount)}
          />
          <Metric
            name={words.metrics.standing}
            value={total.standingCount}
            limits={{ good: alarmTargets.standing }}
            shown={<Counted count={total.standingCount} search={standing} />}
          />
        </Figures>
      </Part>
      <Part title={words.levels}>
        <Figures heads={[words.level, words.count, words.share, words.good, words.state]}>
          {report.levels.map(({ level, count, share }) => {
            const target = alarmTargets.levelShares[level - 1]
            const isLeast = level === alarmTargets.levelShares.length
            return (
              <tr key={level}>
                <th scope="row">
                  <LevelTag level={level} />
                </th>
                <td>
                  {level === 0 ? (
                    formatCount(count)
                  ) : (
                    <Counted count={count} search={{ ...all, alarmLevel: level }} />
                  )}
                </td>
                <td>{percent(share)}</td>
                <td>{target === undefined ? '—' : words.levelTarget(percent(target), isLeast)}</td>
                <td>
                  {target === undefined || total.count === 0 ? (
                    '—'
                  ) : (
                    <State isOver={isLeast ? share < target : share > target} />
                  )}
                </td>
              </tr>
            )
          })}
        </Figures>
      </Part>
      <Part title={alarmGroupNames[groupBy]}>
        {report.rows.length === 0 ? (
          <p className={styles.empty}>{words.none}</p>
        ) : (
          <Figures
            heads={[
              reportTexts.groupTitles[groupBy],
              words.count,
              words.perDay,
              words.perTenMinutes,
              words.peak,
              words.floods,
              words.floodShare,
              words.standing,
            ]}
          >
            {report.rows.map((row) => {
              const own = { [groupFields[groupBy]]: row.id }
              return (
                <tr key={row.id}>
                  <th scope="row">{row.name}</th>
                  <td>
                    <Counted count={row.count} search={{ ...all, ...own }} />
                  </td>
                  <td data-over={row.perDay > alarmTargets.perDay.most || undefined}>
                    {decimal(row.perDay)}
                  </td>
                  <td data-over={row.perTenMinutes > alarmTargets.perTenMinutes.most || undefined}>
                    {decimal(row.perTenMinutes)}
                  </td>
                  <td data-over={row.peak > alarmTargets.floodBegins || undefined}>
                    {formatCount(row.peak)}
                  </td>
                  <td>{formatCount(row.floodCount)}</td>
                  <td data-over={row.floodShare > alarmTargets.floodShare || undefined}>
                    {percent(row.floodShare)}
                  </td>
                  <td>
                    <Counted count={row.standingCount} search={{ ...standing, ...own }} />
                  </td>
                </tr>
              )
            })}
          </Figures>
        )}
        {report.rowCount > report.rows.length && (
          <p className={styles.hint}>{reportTexts.more(reportRows, formatCount(report.rowCount))}</p>
        )}
      </Part>
      <Part title={words.top}>
        {report.top.length === 0 ? (
          <p className={styles.empty}>{words.none}</p>
        ) : (
          <Figures
            heads={[
              words.alarm,
              words.level,
              words.count,
              words.share,
              words.chatteringCount,
              words.standing,
              words.advice,
            ]}
          >
            {report.top.map((one) => (
              <tr key={one.semaphoreCode}>
                <th scope="row">{one.semaphoreName}</th>
                <td>
                  <LevelTag level={one.alarmLevel} />
                </td>
                <td>
                  <Counted count={one.count} search={{ ...all, semaphoreCode: one.semaphoreCode }} />
                </td>
                <td>{percent(one.share)}</td>
                <td>{formatCount(one.chatteringCount)}</td>
                <td>
                  <Counted
                    count={one.standingCount}
                    search={{ ...standing, semaphoreCode: one.semaphoreCode }}
                  />
                </td>
                <td className={styles.words}>{one.advice}</td>
              </tr>
            ))}
          </Figures>
        )}
      </Part>
      <Part title={words.chattering} hint={words.chatteringHint}>
        {report.chattering.length === 0 ? (
          <p className={styles.empty}>{words.noChattering}</p>
        ) : (
          <Figures heads={[reportTexts.groupTitles.device, words.alarm, words.chatteringCount, words.count]}>
            {report.chattering.map((one) => (
              <tr key={`${one.deviceId} ${one.semaphoreCode}`}>
                <th scope="row">
                  <PageLink page="equipment/list" search={{ open: one.deviceId }}>
                    {one.deviceCode}
                  </PageLink>
                </th>
                <td>{one.semaphoreName}</td>
                <td>{formatCount(one.chatteringCount)}</td>
                <td>
                  <Counted
                    count={one.count}
                    search={{ ...all, equipId: one.deviceId, semaphoreCode: one.semaphoreCode }}
                  />
                </td>
              </tr>
            ))}
          </Figures>
        )}
      </Part>
      <Part title={words.floodList} hint={words.floodHint}>
        {report.floods.length === 0 ? (
          <p className={styles.empty}>{words.noFlood}</p>
        ) : (
          <Figures
            heads={[reportTexts.groupTitles.operator, words.start, words.end, words.count, words.peak]}
          >
            {report.floods.map((flood) => (
              <tr key={`${flood.operatorId} ${flood.startTime}`}>
                <th scope="row">{flood.operatorName}</th>
                <td>{flood.startTime}</td>
                <td>{flood.endTime}</td>
                <td>
                  <Counted
                    count={flood.count}
                    search={{
                      ...places,
                      operatorId: flood.operatorId,
                      startTime: flood.startTime,
                      endTime: flood.endTime,
                    }}
                  />
                </td>
                <td>{formatCount(flood.peak)}</td>
              </tr>
            ))}
          </Figures>
        )}
      </Part>
    </>
  )
}

function Metric({
  name,
  value,
  limits,
  shown,
  text,
  format = formatCount,
}: {
  name: string
  value: number
  limits: { good: number; most?: number }
  /** In place of the text, or before it. */
  shown?: ReactNode
  text?: string
  format?: (value: number) => string
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {text}
        {shown && text && '（'}
        {shown}
        {shown && text && '）'}
      </td>
      <td>{format(limits.good)}</td>
      <td>{limits.most === undefined ? '—' : format(limits.most)}</td>
      <td>
        <State isOver={value > limits.good} />
      </td>
    </tr>
  )
}

function State({ isOver }: { isOver: boolean }) {
  return <span data-state={isOver ? 'over' : 'ok'}>{isOver ? `▲ ${words.over}` : `✓ ${words.ok}`}</span>
}
