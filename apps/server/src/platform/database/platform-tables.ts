import type { Database } from './tables.ts'

export type TableName = keyof Database

/** The tables that the platform itself owns; all others belong to the domain or to a feature. */
export const platformTables: readonly TableName[] = [
  'device_command',
  'file_upload',
  'job_run',
  'message_receipt',
  'node',
  'operation_log',
  'planted_seed',
  'platform_secret',
  'stored_file',
]
