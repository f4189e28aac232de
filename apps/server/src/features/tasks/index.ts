import { feature } from '../../platform/feature.ts'
import { mountTasks } from './tasks.routes.ts'
import { createTasks } from './tasks.service.ts'

/** Long work that a user began and that goes on by itself, whichever feature does it. */
export const tasks = feature({
  name: 'tasks',
  create() {
    return {
      service: null,
      mount: (api, { taskSources }) => mountTasks(api, createTasks(taskSources)),
    }
  },
})
