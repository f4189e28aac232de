// What the check of raw statements cannot see. `npm test -- sql` says which entry is missing, and which is needless.
import type { Exceptions } from './check.ts'

const isRecorded = 'keys and conditions are of states that have an episode'
const isDefinition = 'defines what has its name, or its whole text, at run time only'
const isOfAnyTable = 'is of the tables that the catalog, or a backup, names'
const isOfOthers =
  "read with the table of the first feature and the condition of the first caller, which is another feature's"
const isGroupedByCode = 'read as grouped by alarm code, which only the other report can be'
const hasNoCodes = 'its places are asked for without codes, which devices have none of'
const isWithRow = 'written with the row'

export const exceptions: Exceptions = {
  unread: {
    'backups addTable': isOfAnyTable,
    'backups beginSnapshot': isOfAnyTable,
    'backups countRows': isOfAnyTable,
    'backups fill': isOfAnyTable,
    'backups listSequences': isOfAnyTable,
    'backups makePartition': isOfAnyTable,
    'backups restoreBackup': isOfAnyTable,
    'batteries listStock': 'its groups are the ones that its caller was asked for',
    'device-work write': 'has the columns of the table that it is asked for',
    'history dropOld': isDefinition,
    'history detach': isDefinition,
    'history make': isDefinition,
    'readings endSealing': isDefinition,
    'server-status listQueues': isOfAnyTable,
    'platform createWhatIsMissing': isDefinition,
    'platform applyMigrations': isDefinition,
    'platform applyWhole': isDefinition,
    'platform applyOnline': isDefinition,
    'platform makeIndex': isDefinition,
    'platform grantServerRole': isDefinition,
  },
  misread: {
    'alarms listFound': hasNoCodes,
    'reports sumTimes': isGroupedByCode,
    'reports readLengths': isGroupedByCode,
    'reports readAcknowledgements': isGroupedByCode,
    'platform makeIndex': isDefinition,
    'platform withoutLockLimit': isDefinition,
    'device-work hasOpen': isOfOthers,
    'device-work listOpen': isOfOthers,
    'device-work listNext': isOfOthers,
    'device-work listUnsentAskers': isOfOthers,
  },
  neverNull: {
    'actions findSame.commandId': isWithRow,
    'actions listActions.commandId': isWithRow,
    'alarms readStates.id': isRecorded,
    'alarms readStates.occurrenceTime': isRecorded,
    'alarms listActive.id': isRecorded,
    'upgrades countBeyond.note': "a plan's row that is outOfReach says why",
  },
}
