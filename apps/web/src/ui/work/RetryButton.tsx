import { Button } from 'antd'
import { texts } from '../../lib/texts/index.ts'

/** Retries one device of a work, in its row and in its panel. */
export function RetryButton({
  workId,
  targetId,
  retrying: { isPending, mutate },
}: {
  workId: string
  targetId: string
  retrying: { isPending: boolean; mutate: (input: { id: string; targetIds: string[] }) => void }
}) {
  return (
    <Button
      type="link"
      size="small"
      loading={isPending}
      onClick={() => mutate({ id: workId, targetIds: [targetId] })}
    >
      {texts.list.retry}
    </Button>
  )
}
