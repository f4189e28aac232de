import type { RefusalName } from '@voltkeep/contract'
import { Counter, type Registry } from 'prom-client'
import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'

/** The limits of HTTP, and how the operator is told that one was met. */
const limits = {
  bodyTooLarge: '请求内容超过该接口的上限，已拒绝',
  tooManyFields: '请求内容的字段过多，已拒绝',
  bodyTooSlow: '请求内容未在限时内传完，已断开连接',
  uploadTooSlow: '上传速度低于下限，已断开连接',
  readerTooSlow: '客户端接收过慢，已断开连接',
  ownExportsRunning: '一个用户同时进行的导出超过上限，已拒绝',
  tooManyExports: '同时进行的导出过多，已拒绝',
  ownUploadsRunning: '一个用户同时进行的上传超过上限，已拒绝',
  unusedFilesOfUser: '一个用户已上传但未使用的文件超过上限，已拒绝',
  unusedFilesOfOrganization: '一个组织已上传但未使用的文件超过上限，已拒绝',
  filesFull: '磁盘空间不足，上传或导出已拒绝',
  tooManyStreams: '一个用户的实时更新连接超过上限，已拒绝',
  tooManyCalls: '一个用户或地址排队的请求超过上限，已拒绝',
  tooManyAhead: '一个连接上未等答复连续发送的请求过多，已断开连接',
} as const satisfies Partial<Record<RefusalName | 'uploadTooSlow' | 'readerTooSlow', string>>
export type HttpLimit = keyof typeof limits

/** Counts each time that a limit was met, and logs it, every five seconds at most for each limit. */
export interface HttpLimits {
  met(limit: HttpLimit, of: { address: string; call?: string | undefined }): void
  /** The same for a refusal, if it is that of a limit. */
  metBy(refusal: RefusalName, of: { address: string; call?: string | undefined }): void
}

export function createHttpLimits({
  log,
  metrics,
}: {
  log: Pick<Log, 'warn'>
  metrics: Registry
}): HttpLimits {
  const counter = new Counter({
    name: 'voltkeep_http_limits_met_total',
    help: 'HTTP requests that met a limit, by limit',
    labelNames: ['limit'],
    registers: [metrics],
  })
  const complaints = new Map<HttpLimit, ReturnType<typeof createComplaints>>()
  for (const limit of Object.keys(limits) as HttpLimit[]) {
    counter.inc({ limit }, 0)
    complaints.set(
      limit,
      createComplaints((of, count) => log.warn({ ...(of as object), count }, limits[limit])),
    )
  }
  const met: HttpLimits['met'] = (limit, of) => {
    counter.inc({ limit })
    complaints.get(limit)?.(of)
  }
  return {
    met,
    metBy(refusal, of) {
      if (refusal in limits) met(refusal as HttpLimit, of)
    },
  }
}
