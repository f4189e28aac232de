import { listLogNames, listNodes, readLog, readServerInfo } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { ServerStatus } from './server-status.service.ts'

export function mountServerStatus(api: Api, serverStatus: ServerStatus): void {
  api.mount(readServerInfo, () => serverStatus.readServerInfo())
  api.mount(listNodes, () => serverStatus.listNodes())
  api.mount(listLogNames, () => serverStatus.listLogNames())
  api.mount(readLog, ({ input }) => serverStatus.readLog(input))
}
