# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Images as blobs: loaded by Spark, scanned without reading their bytes, read by row id.

The script draws Julia sets as PNG files. `--images FOLDER` uses the files of a folder instead.
"""

import hashlib
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import lance
import numpy as np
import numpy.typing as npt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import pyspark_lance
from common import options, session, step
from pyspark_lance import LanceTable
from pyspark_lance.display import byte_size

FETCHED = 3


class Results(NamedTuple):
    """Results of the example.

    Attributes:
        images: Number of images.
        image_bytes: Size of the image files in bytes.
        scanned: Bytes that Spark read for the names and dimensions of all images.
        sized: Bytes that Spark read for the sizes of all blobs.
        sizes_are_equal: Whether the sizes of the blobs equal the file sizes.
        fetched: Size of the images read by row id, by name.
        fetched_read: Bytes that Spark read for these images.
        different: Names of images whose bytes differ from the file, as read by `take_blobs` of
            pylance or pyspark_lance, or by Spark.
    """

    images: int
    image_bytes: int
    scanned: int
    sized: int
    sizes_are_equal: bool
    fetched: dict[str, int]
    fetched_read: int
    different: set[str]


def main(
    size: int, path: Path, spark: SparkSession | None = None, images: Path | None = None
) -> Results:
    """Runs it.

    Args:
        size: Number of generated images.
        path: Folder of the table `images.lance`, and of the drawn images.
        spark: A session created with `pyspark_lance.configure`.
        images: A folder with files to use instead.
    """
    target = path.absolute() / "images.lance"
    folder = images or draw(size, path.absolute() / "png")
    files = {file.name: file for file in folder.rglob("*") if file.is_file()}
    with session(spark, path / "warehouse") as spark:
        with step(f"Write {len(files):,} images with Spark"):
            load(spark, folder, target)
        table = LanceTable.forPath(spark, target)

        with step("Scan names and sizes, and leave the images where they are"):
            facts = table.to_table(["name", "bytes", "width", "height"], with_row_id=True)
            rows = facts.collect()
            blobs = pyspark_lance.read(spark, target, blob_mode="size").select("name", "content")
            sizes = {row.name: row.content for row in blobs.collect()}
        largest = sorted(rows, key=lambda row: (-row.bytes, row.name))[:FETCHED]
        ids = {row.name: row["_rowid"] for row in largest}

        with step(f"Fetch the {FETCHED} largest by their row ids"):
            some = table.toDF().where(F.col("_rowid").isin(list(ids.values()))).select("content")
            some.collect()
            taken = table.take_blobs("content", ids=ids.values())
            by_pylance = lance.dataset(str(target)).take_blobs("content", ids=list(ids.values()))

        with step("Compare all with the files"):
            hashed = table.to_table({"name": "name", "hash": "sha2(content, 256)"}).collect()
            hashes = {row.name: row.hash for row in hashed}
            different = {name for name, file in files.items() if hashes[name] != sha256(file)}
            for name, one, other in zip(ids, taken, by_pylance, strict=True):
                content = files[name].read_bytes()
                if not one or not other or not one.read() == other.readall() == content:
                    different.add(name)

        found = Results(
            images=len(rows),
            image_bytes=sum(file.stat().st_size for file in files.values()),
            scanned=bytes_read(facts),
            sized=bytes_read(blobs),
            sizes_are_equal=sizes == {name: f.stat().st_size for name, f in files.items()},
            fetched={row.name: row.bytes for row in largest},
            fetched_read=bytes_read(some),
            different=different,
        )
    show(found)
    return found


def load(spark: SparkSession, folder: Path, target: Path) -> None:
    """Creates the table from the files of a folder, with stable row ids."""
    is_png = "substring(content, 1, 8) = X'89504E470D0A1A0A'"
    files = (
        spark.read.format("binaryFile")
        .option("recursiveFileLookup", True)
        .load(str(folder))
        .selectExpr(
            "element_at(split(path, '/'), -1) AS name",
            "length AS bytes",
            f"CASE WHEN {is_png} THEN {big_endian(17)} END AS width",
            f"CASE WHEN {is_png} THEN {big_endian(21)} END AS height",
            "content",
        )
        .withMetadata("content", pyspark_lance.blob_field("content").metadata)
    )
    pyspark_lance.write(
        files, target, mode="overwrite", overwrite_schema=True, enable_stable_row_ids=True
    )


def big_endian(position: int) -> str:
    """Returns SQL for a 32-bit number. A PNG has its width at 17, and its height at 21."""
    return f"CAST(conv(hex(substring(content, {position}, 4)), 16, 10) AS INT)"


def bytes_read(frame: DataFrame) -> int:
    """Returns the bytes that a query read from storage, from the metrics of its scan."""
    java: Any = frame._jdf  # pyright: ignore[reportPrivateUsage]  # Spark's UI uses it, too
    scan = java.queryExecution().executedPlan().collectLeaves().head()
    return int(scan.metrics().apply("lanceBytesRead").value())


def sha256(file: Path) -> str:
    """Returns the hash of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def show(found: Results) -> None:
    """Prints the results. Fails if an image differs."""
    if found.different or not found.sizes_are_equal:
        raise SystemExit(f"differ: {found.different or 'sizes'}")
    names = ", ".join(found.fetched)
    print(f"""
{found.images:,} images of {byte_size(found.image_bytes)}
names and dimensions of all: {byte_size(found.scanned)} read
sizes of all, from the blobs: {byte_size(found.sized)} read
{names}: {byte_size(sum(found.fetched.values()))}, {byte_size(found.fetched_read)} read
all bytes are equal, for Spark and for pylance""")


# Images


def draw(size: int, folder: Path) -> Path:
    """Draws images of three sizes in a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with step(f"Draw {size:,} images"):
        for number in range(size):
            angle = 2 * np.pi * number / size
            pixels = julia(0.7885 * np.exp(1j * angle), width=192 * (1 + number % 3))
            (folder / f"julia-{number:04}.png").write_bytes(png(pixels))
            if (number + 1) % 25 == 0:
                print(f"  [{number + 1:,}/{size:,}]", flush=True)
    return folder


def julia(c: complex, width: int, steps: int = 40) -> npt.NDArray[np.uint8]:
    """Returns the escape time of z² + c as colors, with an aspect ratio of 4:3."""
    height = width * 3 // 4
    x, y = np.linspace(-1.6, 1.6, width), np.linspace(-1.2, 1.2, height)
    z, speed = x[None, :] + 1j * y[:, None], np.zeros((height, width))
    for _ in range(steps):
        inside = np.abs(z) < 8
        z[inside] = z[inside] ** 2 + c
        speed += np.exp(-np.abs(z))
    phase = np.stack([speed * f for f in (0.6, 0.9, 1.3)], axis=-1)
    colours: npt.NDArray[np.uint8] = (127.5 - 127.5 * np.cos(phase)).astype(np.uint8)
    return colours


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Returns a PNG file of pixels, an array of height, width, and RGB."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)  # 0: a line without a filter

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            chunk(b"IDAT", zlib.compress(lines)),
            chunk(b"IEND", b""),
        ]
    )


if __name__ == "__main__":
    parser = options("images", __doc__)
    parser.add_argument(
        "--size", type=int, default=60, help="how many images are drawn (default: %(default)s)"
    )
    parser.add_argument("--images", type=Path, help="folder of files to take instead")
    given = parser.parse_args()
    main(given.size, given.path, images=given.images)
