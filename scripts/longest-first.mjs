import { basename } from 'node:path'
import { BaseSequencer } from 'vitest/node'

/** Files that take far longer than their size tells, by how their names begin. */
const long = [
  ...[
    'screens.',
    'forms.are-all-alike.',
    'logs.are-extracted',
    'pages.tell-what',
    'upgrades.stop-on-alarms.',
  ],
  ...['crash.system.', 'simulator.system.', 'batches.system.', 'start.system.', 'device-protocol.system.'],
  ...['data-scope.http.', 'fuzz.http.', 'attempts.http.', 'tls.mqtt.', 'files.db.'],
]
const isLong = ({ moduleId }) => long.some((start) => basename(moduleId).startsWith(start))

/**
 * The order of test files in which the workers of a run are busy until its end. In a project the long files come first:
 * vitest goes by the times of the run before, and where there was none by the files' sizes. A worker that keeps its
 * modules is ended where a file of another project comes next, so these projects run one after the other. The others are
 * mixed: `system` waits most of the time, `dom` computes.
 */
export default class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files)
    const projects = [...Map.groupBy(sorted, ({ project }) => project).entries()].map(([project, own]) => ({
      isKept: !project.config.isolate,
      files: [...own.filter(isLong), ...own.filter((file) => !isLong(file))],
    }))
    const kept = projects.filter(({ isKept }) => isKept).flatMap((project) => project.files)
    const mixed = projects
      .filter(({ isKept }) => !isKept)
      .flatMap((project) => project.files.map((file, at) => ({ file, share: at / project.files.length })))
      .sort((one, other) => one.share - other.share)
    return [...kept, ...mixed.map(({ file }) => file)]
  }
}
