import type { InputFor } from '@voltkeep/contract/endpoint'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { staleTypes } from './equipTypes.api.ts'
import { equipTypeTexts } from './equipTypes.texts.ts'

const { remove } = equipTypeTexts

/** A delete button for users who may delete, with a confirmation that names what is deleted. */
export function DeletePermitted<E extends AnyEndpoint>({
  endpoint,
  input,
  title,
  body,
  onDeleted,
}: {
  endpoint: E
  input: InputFor<E>
  title: string
  body: string
  onDeleted?: (() => void) | undefined
}) {
  const deleting = useWriting(endpoint, staleTypes, { said: remove.done })
  return (
    <Permitted code={endpoint.access}>
      <DeleteButton
        words={{ ...remove, title }}
        asks={[body]}
        onConfirm={async () => {
          await deleting.mutateAsync(input)
          onDeleted?.()
        }}
      />
    </Permitted>
  )
}
