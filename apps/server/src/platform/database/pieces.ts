import type pg from 'pg'

/**
 * The rows of the cursor `piece` that the transaction has declared, so many at a time, for those that are too large to have all at
 * once. What is written in between does not change which rows are still to come.
 */
export async function* fetchPieces<Row extends object>(
  connection: pg.ClientBase,
  rowsAtOnce: number,
): AsyncGenerator<Row[]> {
  for (;;) {
    const { rows } = await connection.query<Row>(`FETCH ${rowsAtOnce} FROM piece`)
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtOnce) break
  }
  await connection.query('CLOSE piece')
}
