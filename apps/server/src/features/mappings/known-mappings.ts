// The mappings that are on, compiled, by model: messages come thousands a second, and mappings change by hand.
import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { compileMapping, type Mapping, type MappingUse } from './engine/index.ts'
import { mappingsChanged } from './mappings.notices.ts'
import { listKnown } from './mappings.queries.ts'

export interface KnownMappings {
  /** Null: the model has a mapping, and none of its versions is on. Undefined: its devices speak our protocol. */
  of(modelId: number): Mapping | null | undefined
  /** Whether any model has a mapping. */
  readonly isAny: boolean
  /** Those that are on. */
  all(): readonly Mapping[]
  /** Calls back when they have been read anew. */
  onChange(listener: () => void): void
  /** Resolves once they are known. Rejects where the database is away. */
  start(): Promise<void>
  close(): void
}

/** A notice may be lost. */
const freshForMs = 60_000

export function createKnownMappings({
  db,
  log,
  notices,
  use,
}: {
  db: Db
  log: Log
  notices: Pick<Notices, 'subscribe'>
  use: MappingUse
}): KnownMappings {
  let byModel = new Map<number, Mapping | null>()
  /** By mapping and version, so that what has not changed is not compiled again. */
  let compiled = new Map<string, Mapping | null>()
  let reading: Promise<void> = Promise.resolve()
  let changed = () => {}
  const complain = createComplaints((err, count) =>
    log.warn(
      { err, count },
      spoken({ zh: '报文映射暂未读取', en: 'the mappings of messages could not be read for now' }),
    ),
  )

  async function read(): Promise<void> {
    const next = new Map<string, Mapping | null>()
    const models = new Map<number, Mapping | null>()
    for (const { modelId, mappingId, name, no, document } of await listKnown(db)) {
      const key = `${mappingId} ${no}`
      let mapping = next.get(key) ?? compiled.get(key)
      if (mapping === undefined && document) {
        const result = compileMapping(document, use)
        if ('problems' in result)
          log.error(
            { mapping: name, problems: result.problems },
            spoken({
              zh: '报文映射无法使用，其设备的报文不会被处理',
              en: 'a mapping cannot be used: the messages of its devices become nothing',
            }),
          )
        mapping = 'problems' in result ? null : result
      }
      next.set(key, mapping ?? null)
      models.set(modelId, document ? (mapping ?? null) : null)
    }
    compiled = next
    byModel = models
    changed()
  }

  const again = () => {
    reading = reading.then(read).catch(complain)
  }
  const unsubscribe = notices.subscribe(mappingsChanged, again)
  let timer: NodeJS.Timeout | undefined

  return {
    of: (modelId) => byModel.get(modelId),
    get isAny() {
      return byModel.size > 0
    },
    all: () => [...new Set(byModel.values())].filter((mapping) => mapping !== null),
    onChange(listener) {
      changed = listener
    },
    async start() {
      await read()
      timer = setInterval(again, freshForMs)
    },
    close() {
      unsubscribe()
      clearInterval(timer)
    },
  }
}
