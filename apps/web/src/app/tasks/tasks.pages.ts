import type { Task } from '@voltkeep/contract/tasks'

/** The page of a task, by the component's key, and the search that opens the task there. */
export function pageOf({ kind, id }: Pick<Task, 'kind' | 'id'>): { page: string; search: object } {
  switch (kind) {
    case 'alarmHandling':
    case 'alarmRecovery':
      return { page: 'maintenance/exitWarning', search: {} }
    case 'approval':
      return { page: 'maintenance/approval', search: { open: id } }
    case 'deviceImport':
      return { page: 'equipment/list', search: {} }
    case 'logExtraction':
      return { page: 'maintenance/logextract', search: { extraction: id } }
    case 'parameterBatch':
      return { page: 'maintenance/batchsetting', search: { batch: id } }
    case 'upgrade':
      return { page: 'upgrade/upgradeTask', search: { task: id } }
  }
}
