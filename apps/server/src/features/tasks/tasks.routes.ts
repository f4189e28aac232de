import { listTasks } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Tasks } from './tasks.service.ts'

export function mountTasks(api: Api, tasks: Tasks): void {
  api.mount(listTasks, ({ actor }) => tasks.listTasks(actor))
}
