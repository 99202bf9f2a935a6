// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import scala.jdk.CollectionConverters._

import io.github.pysparklance.spark.jobs.JobSuite
import io.github.pysparklance.testkit.Pylance

/** pylance reads the fields of null structs as null, also without the struct. */
class NullStructSuite extends JobSuite {
  private val fields = Seq("s.a", "s.b", "s.l", "s.t.c", "s.t.l")

  /** A third of the structs are null. Their fields are never null otherwise. */
  private val struct =
    """IF(id % 3 = 0, NULL, named_struct('a', id, 'b', concat('x', id), 'l', array(id, id + 1),
      |'t', named_struct('c', id % 7, 'l', array(named_struct('d', id))))) AS s""".stripMargin

  for (version <- Seq("2.1", "2.2"); numFiles <- Seq(1, 2))
    test(s"fields of null structs, $numFiles files of $version") {
      val path = fresh()
      val rows = 3000L
      spark.range(0, rows, 1, numFiles).selectExpr("id", struct).write.format("lance")
        .option("fileVersion", version).save(path)
      fields.foreach { field =>
        val found = Pylance.run(
          """
            ds = dataset(path)
            whole = ds.to_table().to_pylist()
            def at(value):
                for name in field.split('.')[1:]:
                    value = None if value is None else value[name]
                return value
            expected = [at(r['s']) for r in whole]
            alone = ds.to_table(columns={'x': field, 'id': 'id'}).to_pylist()
            taken = ds.take([0, 1, 2, 2999], columns={'x': field}).to_pylist()
            ids = ds.to_table(columns=['id'], filter=field + ' IS NULL')['id'].to_pylist()
            result = [
                [r['x'] for r in alone] == expected,
                [r['x'] for r in taken] == [expected[i] for i in (0, 1, 2, 2999)],
                sorted(ids) == [r['id'] for r in whole if at(r['s']) is None],
                ds.count_rows(field + ' IS NOT NULL') == len([v for v in expected if v is not None]),
                expected.count(None) == 1000,
            ]
          """,
          "path" -> path,
          "field" -> field
        )
        assert(found.elements.asScala.map(_.asBoolean).toSeq == Seq.fill(5)(true), field)
      }
    }
}
