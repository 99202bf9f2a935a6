# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Texts similar to SQL: Spark parses all statements except statements of the connector."""

import os
import random
import re
from pathlib import Path

import pytest
from kit.cases import IS_LONG
from kit.lines import LINE
from py4j.protocol import Py4JJavaError

DOCS = Path(__file__).parents[2] / "docs" / "sql.md"
TEXTS = 20_000 if IS_LONG else 700
TAKEN = re.compile(
    r"\bDESC(RIBE)?\b.*\b(HISTORY|DETAIL)\b|\bCREATE\b.*\bTABLE\b.*\bLIKE\b",
    re.IGNORECASE | re.DOTALL,
)
"""Statements that Spark parses as well. It reads the first as a column of a table named `history`
or `detail`, and supports the second in its own catalog only."""
SINCE_4_0 = re.compile(r"CLUSTER BY|WITH \(`|UNSET PROPERTIES|TYPE BIGINT, age COMMENT")
"""Statements that Spark 3.5 cannot parse."""
OURS = "io.github.pysparklance."

SPARKS = """
ALTER TABLE a.t ADD COLUMNS (c INT COMMENT 'x', d.e STRING FIRST)
ALTER TABLE t ADD COLUMN c ARRAY<STRUCT<a: INT, b: MAP<STRING, DECIMAL(10, 2)>>> AFTER b
ALTER TABLE t DROP COLUMN IF EXISTS c
ALTER TABLE t RENAME COLUMN a TO b
ALTER TABLE t ALTER COLUMN a TYPE BIGINT
ALTER TABLE t SET TBLPROPERTIES ('a' = 'b', c.d = 3)
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('a')
ALTER TABLE t RENAME TO u
ALTER TABLE t CLUSTER BY (a, b)
ALTER TABLE t ADD CONSTRAINT k CHECK (a > 1) NOT ENFORCED
ALTER TABLE t DROP PARTITION (a = 1)
ALTER VIEW v AS SELECT 1
ALTER NAMESPACE n SET PROPERTIES ('a' = 'b')
CREATE TABLE IF NOT EXISTS t (a INT NOT NULL DEFAULT 3) USING lance PARTITIONED BY (a) LOCATION '/x'
CREATE OR REPLACE TABLE t USING lance TBLPROPERTIES ('a' = 'b') AS SELECT * FROM u
CREATE TABLE t LIKE u USING lance
CREATE TABLE clone AS SELECT 1 AS shallow
CREATE TABLE tag (shallow INT, deep INT) USING lance
CREATE INDEX i ON TABLE t USING btree (a)
CREATE VIEW branch AS SELECT * FROM tag
CREATE NAMESPACE IF NOT EXISTS a.b COMMENT 'c' LOCATION '/x'
DROP TABLE IF EXISTS t PURGE
DROP NAMESPACE n CASCADE
DROP INDEX i ON t
SHOW TABLES IN a.b LIKE 't*'
SHOW COLUMNS IN t
SHOW TBLPROPERTIES t ('a')
SHOW CREATE TABLE t
SHOW PARTITIONS t
DESCRIBE TABLE EXTENDED t
DESCRIBE t a.b
DESC history
DESCRIBE TABLE detail
DESCRIBE FUNCTION history
DESCRIBE NAMESPACE EXTENDED n
DESCRIBE QUERY SELECT 1 AS history
DELETE FROM t WHERE a IN (SELECT b FROM u) OR c IS NULL
UPDATE t SET a = b + 1, c.d = 'x' WHERE a <=> 3
MERGE INTO t USING u ON t.a = u.a WHEN MATCHED AND t.b THEN DELETE WHEN NOT MATCHED THEN INSERT *
INSERT INTO t REPLACE WHERE a = 1 SELECT * FROM u
INSERT OVERWRITE t PARTITION (a = 1) VALUES (2, 'x')
INSERT INTO t BY NAME SELECT 1 AS a
SELECT * FROM t VERSION AS OF 3
SELECT * FROM t TIMESTAMP AS OF '2024-01-01' WHERE a = :p
SELECT restore, vacuum, optimize FROM lance.`/a/b.lance` AS tag
WITH c AS (SELECT 1) SELECT a.b[0], r'\\x' || "y" || `z` FROM c
CALL lance.system.compact(table => 't', n => 1.5)
ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS a
REFRESH TABLE t
TRUNCATE TABLE t
USE lance.db
SET spark.sql.ansi.enabled = true
EXPLAIN EXTENDED SELECT 1
CACHE TABLE t
DECLARE VARIABLE v INT DEFAULT 3
VALUES (1, 'a'), (2, NULL)
TABLE t
""".strip().split("\n")

PIECES = r"""
ALTER TABLE CREATE OR REPLACE TAG BRANCH IF NOT EXISTS AS OF VERSION TIMESTAMP DROP SHOW TAGS
BRANCHES IN FROM RESTORE TO DESCRIBE HISTORY DETAIL LIMIT SHALLOW DEEP CLONE VACUUM RETAIN HOURS
DRY RUN WITH OPTIMIZE WHERE ZORDER BY ADD UPDATE COLUMNS SELECT CALL IDENTIFIER
IDENTIFIER('t') NULL true
t a.b `x``y` `lance`.`/p` 1 -3 1.5 0x1F 'it''s' 'a\'b' "q" r'\' :p ? ( ) , ; . = => * + - [ ]
-- /* */ /*x*/ /*/*x*/*/ ${v} $$ @ # été
"""


WORDS = [*PIECES.split(), "\t", "\u00a0"]


def statements():
    blocks = re.findall(r"```sql\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    found = [s.strip() for block in blocks for s in block.split(";") if s.strip()]
    return [s for s in found if LINE >= (4, 0) or not SINCE_4_0.search(s)]


def changed(draw, text):
    """Returns the text with some pieces removed, repeated, moved, or replaced."""
    pieces = re.findall(r"\w+|\s+|[^\w\s]", text)
    for _ in range(draw.choice([0, 1, 1, 2, 3, 6])):
        at = draw.randrange(len(pieces))
        what = draw.randrange(6)
        if what == 0 and len(pieces) > 1:
            del pieces[at]
        elif what == 1:
            pieces.insert(at, " " + draw.choice(WORDS) + " ")
        elif what == 2:
            pieces[at] = draw.choice(WORDS)
        elif what == 3:
            pieces[at] = pieces[at].swapcase()
        elif what == 4:
            other = draw.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        else:
            pieces = pieces[: at + 1]
    return draw.choice(["", "", "-- note\n", "/* note */ ", " \n"]) + "".join(pieces)


@pytest.fixture(scope="module")
def parsers(spark):
    """Ours, and Spark's alone."""
    ours = spark._jsparkSession.sessionState().sqlParser()
    if LINE < (4, 0):  # runs early rules on the result of this parser
        ours = ours.delegate()
    assert ours.getClass().getName().startswith(OURS)
    return ours, spark._jvm.org.apache.spark.sql.execution.SparkSqlParser()


def read(parser, text):
    """The class and text of a plan, without the numbers of expressions, or of an error."""
    try:
        plan = parser.parsePlan(text)
        return plan.getClass().getName(), re.sub(r"#\d+|\$Lambda\S+", "#", plan.treeString()), None
    except Py4JJavaError as failed:
        error = failed.java_exception
    except Exception as failed:
        error = failed._origin if getattr(failed, "_origin", None) is not None else None
        if error is None:
            return None, None, (type(failed).__name__, str(failed))
    return None, None, (error.getClass().getName(), error.getMessage())


def is_refused(text, error):
    """Whether our parser rejects one of our statements: one with a parameter without a value.

    Before 4.1, it also rejects constraints that Lance tables do not support. Before 4.0, it
    resolves procedures and evaluates their arguments.
    """
    name, message = error
    if LINE < (4, 1) and name.startswith(OURS):
        return "constraint" in message
    if LINE < (4, 0) and re.search(r"\bCALL\b", text, re.IGNORECASE):
        return name.endswith("AnalysisException")
    return name == "org.apache.spark.sql.AnalysisException" and message.startswith(
        "[UNBOUND_SQL_PARAMETER]"
    )


def test_statements_of_the_connector_are_not_spark_syntax(parsers):
    ours, sparks = parsers
    for text in statements():
        plan, _, error = read(ours, text)
        assert error is None, text
        if plan.startswith(OURS) and not TAKEN.search(text):
            assert read(sparks, text)[0] is None, text


def test_texts_similar_to_sql(parsers):
    ours, sparks = parsers
    draw = random.Random(int(os.environ.get("SEED", "7")))
    originals = statements() + SPARKS
    taken = 0
    for _ in range(TEXTS):
        text = changed(draw, draw.choice(originals))
        found, expected = read(ours, text), read(sparks, text)
        if expected[2] is None:
            assert found == expected or TAKEN.search(text), text
        elif found[2] is None:
            evolves = LINE < (4, 0) and re.search(r"\bSCHEMA\s+EVOLUTION\b", text, re.IGNORECASE)
            assert found[0].startswith(OURS) or evolves, text
            taken += 1
        else:
            assert "ParseException" in found[2][0] or is_refused(text, found[2]), (text, found)
    assert taken > TEXTS // 50
