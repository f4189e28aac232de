// Whose decision a subscription is, and what that takes.
import {
  exportAlarmReport,
  exportAvailability,
  type FunctionCode,
  insertReportSubscription,
  type ReportKind,
  readAlarmReport,
  readAvailability,
} from '@voltkeep/contract'
import type { Decider } from '../../../domain/access/deciders.ts'

/** A mail carries what the report shows, and its sheet: all of these are needed. */
export const accessOf = (kind: ReportKind): readonly FunctionCode[] =>
  kind === 'alarm'
    ? [insertReportSubscription.access, readAlarmReport.access, exportAlarmReport.access]
    : [insertReportSubscription.access, readAvailability.access, exportAvailability.access]

/** The owner, once for each function: a decider holds one of its codes, and an owner all. */
export const ownersOf = ({
  kind,
  decidedBy,
  decidedByName,
  decidedIn,
}: {
  kind: ReportKind
  decidedBy: number
  decidedByName: string
  decidedIn: number | null
}): Decider[] =>
  accessOf(kind).map((code) => ({
    userId: decidedBy,
    name: decidedByName,
    role: '订阅人',
    functionCodes: [code],
    decidedIn,
  }))
