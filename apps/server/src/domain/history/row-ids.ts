import type pg from 'pg'

/** Ids of history rows, drawn from their sequence a thousand at a time. */
export interface RowIds {
  /** Draws ids until `count` are available; code that follows without an `await` may take as many. */
  ensure(connection: pg.ClientBase, count: number): Promise<void>
  take(): number
}

/** The increment of the sequence `episode_id`: each drawn value is the first of a block of ids. */
const blockSize = 1_000

export function createRowIds(): RowIds {
  const blocks: { next: number; end: number }[] = []
  const available = () => blocks.reduce((sum, { next, end }) => sum + end - next, 0)
  return {
    async ensure(connection, count) {
      while (available() < count) {
        const { rows } = await connection.query<{ first: string }>({
          name: 'row-ids.draw',
          text: `SELECT nextval('episode_id') AS first FROM generate_series(1, $1)`,
          values: [Math.ceil(count / blockSize)],
        })
        for (const { first } of rows) blocks.push({ next: Number(first), end: Number(first) + blockSize })
      }
    },
    take() {
      const block = blocks[0]
      if (!block) throw new Error('ids are taken without having been ensured')
      const id = block.next
      block.next += 1
      if (block.next === block.end) blocks.shift()
      return id
    },
  }
}
