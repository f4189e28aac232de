import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Another platform controls the device of this id, and nothing is told it from here. */
export const isObserved = (deviceId: RawBuilder<unknown>) => sql<SqlBool>`EXISTS (
  SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
  WHERE y.id = ${deviceId} AND y.is_enabled AND z.protocol = 'ocpp16')`
