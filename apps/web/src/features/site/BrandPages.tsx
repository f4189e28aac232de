import { CabinetDrawing } from '../../ui/CabinetDrawing.tsx'
import { asgoft, type Brand, eArk, estolife } from './brands.texts.ts'
import { SitePage } from './SitePage.tsx'
import { StorageDrawing } from './StorageDrawing.tsx'
import styles from './site.module.css'

const drawings = { cabinet: CabinetDrawing, storage: StorageDrawing }

function BrandPage({ brand }: { brand: Brand }) {
  const Drawing = drawings[brand.drawing]
  return (
    <SitePage title={brand.name}>
      <div className={styles.brand}>
        <div className={styles.brandText}>
          <h1>{brand.name}</h1>
          <p className={styles.line}>{brand.line}</p>
          <p>{brand.about}</p>
          <dl className={styles.points}>
            {brand.points.map((point) => (
              <div key={point.title}>
                <dt>{point.title}</dt>
                <dd>{point.text}</dd>
              </div>
            ))}
          </dl>
        </div>
        <div className={styles.brandDrawing}>
          <Drawing />
        </div>
      </div>
    </SitePage>
  )
}

export const AsgoftPage = () => <BrandPage brand={asgoft} />
export const EstolifePage = () => <BrandPage brand={estolife} />
export const EArkPage = () => <BrandPage brand={eArk} />
