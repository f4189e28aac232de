// The limits of this process from its metrics: the present value, the maximum, and how often each was met.

import type { ServerInfo } from '@voltkeep/contract'
import type { Registry } from 'prom-client'

type LimitRow = ServerInfo['limits'][number]

interface Figure {
  metric: string
  /** Values of its label to sum up; all where none are named. */
  of?: readonly string[]
}

interface Limit {
  name: string
  present?: Figure
  most?: Figure | number
  met?: Figure
}

const http = (limit: string): Pick<Limit, 'most' | 'met'> => ({
  most: { metric: 'voltkeep_http_connection_limits', of: [limit] },
  met: { metric: 'voltkeep_http_connections_refused_total', of: [limit] },
})
const mqtt = (limit: string): Pick<Limit, 'most' | 'met'> => ({
  most: { metric: 'voltkeep_intake_connection_limits', of: [limit] },
  met: { metric: 'voltkeep_intake_connections_refused_total', of: [limit] },
})
const requests = (...of: string[]): Pick<Limit, 'met'> => ({
  met: { metric: 'voltkeep_http_limits_met_total', of },
})
const signIns = (...of: string[]): Pick<Limit, 'met'> => ({
  met: { metric: 'voltkeep_sign_ins_turned_away_total', of },
})

interface PerUser {
  streamsPerUser: number
  exportsPerUser: number
  uploadsPerUser: number
  historyRowsPerDay: number
}

const limitsOf = ({
  streamsPerUser,
  exportsPerUser,
  uploadsPerUser,
  historyRowsPerDay,
}: PerUser): Limit[] => [
  { name: '网页和接口的连接', present: { metric: 'voltkeep_http_connections' }, ...http('inAll') },
  { name: '同一地址到网页和接口的连接', ...http('perAddress') },
  {
    name: '排队的请求',
    present: { metric: 'voltkeep_http_calls_waiting' },
    ...requests('tooManyCalls'),
  },
  { name: '一个连接上连续发送的请求', ...requests('tooManyAhead') },
  { name: '请求内容的大小和字段数', ...requests('bodyTooLarge', 'tooManyFields') },
  { name: '请求内容和上传的速度', ...requests('bodyTooSlow', 'uploadTooSlow') },
  { name: '下载的速度', ...requests('readerTooSlow') },
  { name: '一个用户的实时更新', most: streamsPerUser, ...requests('tooManyStreams') },
  { name: '一个用户的导出', most: exportsPerUser, ...requests('ownExportsRunning', 'tooManyExports') },
  { name: '一个用户的上传', most: uploadsPerUser, ...requests('ownUploadsRunning') },
  { name: '已上传但未使用的文件', ...requests('unusedFilesOfUser', 'unusedFilesOfOrganization') },
  { name: '上传和导出的磁盘空间', ...requests('filesFull') },
  {
    name: '同时进行的登录',
    present: { metric: 'voltkeep_sign_ins_under_way' },
    most: { metric: 'voltkeep_sign_ins_limit' },
    ...signIns('busy'),
  },
  { name: '登录失败的次数', ...signIns('pair', 'address', 'slowed') },
  { name: '设备接入的连接', present: { metric: 'voltkeep_intake_open_connections' }, ...mqtt('inAll') },
  { name: '尚未登录的设备连接', ...mqtt('strangers') },
  { name: '同一地址尚未登录的设备连接', ...mqtt('strangersPerAddress') },
  { name: '同一地址在线的设备', ...mqtt('perAddress') },
  { name: '被限流的设备', present: { metric: 'voltkeep_intake_throttled_devices' } },
  {
    name: '当天的历史记录',
    present: { metric: 'voltkeep_history_rows_today' },
    most: historyRowsPerDay,
    met: { metric: 'voltkeep_history_events_withheld_total' },
  },
  { name: 'TLS 握手', met: { metric: 'voltkeep_tls_handshakes_failed_total' } },
]

/** The limits that this process has: without the role ingest none of devices, without TLS none of handshakes. */
export async function readLimits(metrics: Registry, perUser: PerUser): Promise<LimitRow[]> {
  const rows = await Promise.all(
    limitsOf(perUser).map(async ({ name, present, most, met }) => ({
      name,
      presentCount: present ? await readFigure(metrics, present) : null,
      most: typeof most === 'number' ? most || null : most ? await readFigure(metrics, most) : null,
      metCount: met ? await readFigure(metrics, met) : null,
    })),
  )
  return rows.filter(({ presentCount, metCount }) => presentCount !== null || metCount !== null)
}

/** Null where this process has no such metric, or none with this label. */
async function readFigure(metrics: Registry, { metric, of }: Figure): Promise<number | null> {
  const found = metrics.getSingleMetric(metric)
  if (!found) return null
  const { values } = await found.get()
  const wanted = values.filter(
    ({ labels }) => !of || Object.values(labels).some((label) => of.includes(String(label))),
  )
  if (wanted.length === 0) return metric.endsWith('_total') ? 0 : null
  return wanted.reduce((sum, { value }) => sum + value, 0)
}
