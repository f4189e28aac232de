// What the check of raw statements cannot see. `npm test -- sql` says which entry is missing, and which is needless.
import type { Exceptions } from './check.ts'

const isRecorded = 'keys and conditions are of states that have an episode'
const isDefinition = 'defines what has its name, or its whole text, at run time only'
const isSession = 'several statements in one, which set the transaction or the session'
const isWithUser = 'null only together with userId, which is looked at first'

export const exceptions: Exceptions = {
  unread: {
    'device-work/owners.ts handle': isSession,
    'platform/job-locks.ts connect': isSession,
    'platform/transaction.ts inTransaction': isSession,
    'history/partitions.ts dropOld': isDefinition,
    'history/partitions.ts detach': isDefinition,
    'history/partitions.ts make': isDefinition,
    'platform/embedded.ts createWhatIsMissing': isDefinition,
    'platform/migrate.ts applyOne': isDefinition,
    'platform/server-role.ts grantServerRole': isDefinition,
    'device-work/work.queries.ts hasOpen':
      "read with the table of the first feature and the condition of the first caller, which is another feature's",
  },
  neverNull: {
    'alarms/alarms.current.queries.ts readStates.id': isRecorded,
    'alarms/alarms.current.queries.ts readStates.occurrenceTime': isRecorded,
    'alarms/alarms.current.queries.ts readStatesById.occurrenceTime': isRecorded,
    'alarms/alarms.recovery.queries.ts listActive.id': isRecorded,
    'device-work/work.queries.ts listUnsentAskers.name': 'written together with asked_by',
    'history/stretches.ts withoutExcluded.at': isRecorded,
    'sessions/sessions.queries.ts findSession.loginName': isWithUser,
    'sessions/sessions.queries.ts findSession.organizationId': isWithUser,
    'sessions/sessions.queries.ts findSession.isEnabled': isWithUser,
    'sessions/sessions.queries.ts findSession.mustChangePassword': isWithUser,
    'upgrades/targets.plan.queries.ts countBeyond.note': "a plan's row that is outOfReach says why",
  },
}
